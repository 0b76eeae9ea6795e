//! What a person sees and does in the window. Everything waits for what it needs, and never for ever.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use fantoccini::{Client, Locator, elements::Element, key::Key};
use tests::Outcome;
use tokio::time::sleep;

use crate::driver::Driver;

/// How long anything may take that a person would wait for. Generous: the machine may be building something else.
const PATIENCE: Duration = Duration::from_secs(60);

/// The app's window.
pub(crate) struct Window {
    client: Client,
    driver: Driver,
}

/// An answer as it stands in the list of messages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) state: String,
    pub(crate) text: String,
}

impl Window {
    /// Starts the app with its data in `home` and waits until it shows something.
    pub(crate) async fn open(home: &Path) -> Outcome<Self> {
        let driver = Driver::start(home).await?;
        let window = Self { client: driver.open().await?, driver };
        let page = window.see("nav").await;
        page.map_err(|reason| format!("{reason}; was the app built with desktop/custom-protocol, after the ui?"))?;
        Ok(window)
    }

    /// Closes the window.
    pub(crate) async fn close(self) -> Outcome {
        Ok(self.client.close().await?)
    }

    /// `kill -9`, for the app and whatever it started.
    pub(crate) async fn kill(self) {
        drop(self.driver);
        // The connection is dead, which is what it reports.
        let _ = self.client.close().await;
    }

    pub(crate) async fn reload(&self) -> Outcome {
        Ok(self.client.refresh().await?)
    }

    /// Waits until something is there.
    pub(crate) async fn see(&self, css: &str) -> Outcome<Element> {
        self.wait_for(Locator::Css(css)).await
    }

    async fn wait_for(&self, locator: Locator<'_>) -> Outcome<Element> {
        let found = self.client.wait().at_most(PATIENCE).for_element(locator).await;
        Ok(found.map_err(|reason| format!("{locator:?}: {reason}"))?)
    }

    /// Waits until the text of something is as it should be.
    pub(crate) async fn text_of(&self, css: &str, wanted: impl Fn(&str) -> bool) -> Outcome<String> {
        let start = Instant::now();
        loop {
            // What is rendered anew between the look and the question is looked for again.
            let text = match self.client.find(Locator::Css(css)).await {
                Ok(element) => element.text().await.ok(),
                Err(_) => None,
            };
            if let Some(text) = text.as_deref().filter(|text| wanted(text)) {
                return Ok(text.to_owned());
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("{css} says {text:?}").into());
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn click(&self, css: &str) -> Outcome {
        Ok(self.see(css).await?.click().await?)
    }

    /// Presses the button with this label.
    pub(crate) async fn press(&self, label: &str) -> Outcome {
        let button = format!("//button[not(@disabled) and normalize-space()='{label}']");
        Ok(self.wait_for(Locator::XPath(&button)).await?.click().await?)
    }

    /// Replaces what a field holds.
    pub(crate) async fn fill(&self, css: &str, text: &str) -> Outcome {
        let field = self.see(css).await?;
        field.clear().await?;
        Ok(field.send_keys(text).await?)
    }

    /// Picks an option by its value.
    pub(crate) async fn pick(&self, label: &str, value: &str) -> Outcome {
        let select = format!("//label[normalize-space()='{label}']/following-sibling::*//select");
        Ok(self.wait_for(Locator::XPath(&select)).await?.select_by_value(value).await?)
    }

    /// Moves a slider one step down, from the keyboard.
    pub(crate) async fn lower(&self, label: &str) -> Outcome {
        let slider = format!("//label[normalize-space()='{label}']/following-sibling::input");
        Ok(self.wait_for(Locator::XPath(&slider)).await?.send_keys(&Key::Left).await?)
    }

    /// Sets the most tokens that an answer may have.
    pub(crate) async fn limit(&self, tokens: usize) -> Outcome {
        if !self.see("#control-maxTokens").await?.is_displayed().await? {
            self.click("summary").await?;
        }
        self.fill("#control-maxTokens", &format!("{tokens}{}", char::from(Key::Tab))).await
    }

    /// Writes a message and sends it.
    pub(crate) async fn write(&self, text: &str) -> Outcome {
        self.fill("textarea", text).await?;
        self.click("[aria-label=Send]:not([disabled])").await
    }

    /// Every answer on screen.
    pub(crate) async fn answers(&self) -> Outcome<Vec<Answer>> {
        let mut answers = Vec::new();
        for answer in self.client.find_all(Locator::Css("[data-testid=answer]")).await? {
            let state = answer.attr("data-state").await?.unwrap_or_default();
            let text = answer.find(Locator::Css("[data-testid=text]")).await?.text().await?;
            answers.push(Answer { state, text });
        }
        Ok(answers)
    }

    /// A number that something carries.
    pub(crate) async fn number(&self, css: &str, attribute: &str) -> Outcome<u64> {
        let value = self.see(css).await?.attr(attribute).await?;
        Ok(value.unwrap_or_default().parse()?)
    }

    /// The numbers that several things carry.
    pub(crate) async fn numbers(&self, css: &str, attribute: &str) -> Outcome<Vec<u64>> {
        let mut numbers = Vec::new();
        for element in self.client.find_all(Locator::Css(css)).await? {
            numbers.push(element.attr(attribute).await?.unwrap_or_default().parse()?);
        }
        Ok(numbers)
    }
}
