//! What a person sees and does in the window. Everything waits for what it needs, and never for ever.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use fantoccini::{Client, Locator, elements::Element, key::Key};
use rustix::process::{Signal, kill_process};
use tests::{Outcome, library::Bench};
use tokio::time::sleep;

use crate::driver::Driver;

/// How long anything may take that a person would wait for. Generous: the machine may be building something else.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where no Hub is: the discard port.
const NO_HUB: &str = "http://127.0.0.1:9";

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
    /// Starts the app with its data in `home`, for a user who has nothing else and no Hub.
    pub(crate) async fn launch(home: &Path) -> Outcome<Self> {
        Self::start(Driver::start(home, home, NO_HUB).await?).await
    }

    /// Starts the app and waits until it is ready.
    pub(crate) async fn open(home: &Path) -> Outcome<Self> {
        Self::ready(Self::launch(home).await?).await
    }

    /// Starts the app in a library's surroundings and waits until it is ready.
    pub(crate) async fn open_at(bench: &Bench) -> Outcome<Self> {
        let driver = Driver::start(&bench.home(), &bench.user(), &bench.fake.endpoint()).await?;
        Self::ready(Self::start(driver).await?).await
    }

    async fn start(driver: Driver) -> Outcome<Self> {
        Ok(Self { client: driver.open().await?, driver })
    }

    async fn ready(window: Self) -> Outcome<Self> {
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

    /// `kill -9`, for what runs the page and for nothing else; waits until another process runs one. The driver ends the
    /// session with the page, so that nothing can be seen any more.
    pub(crate) async fn kill_page(&self) -> Outcome {
        let before = self.driver.page_processes()?;
        for &page in &before {
            kill_process(page, Signal::KILL)?;
        }
        let start = Instant::now();
        while self.driver.page_processes()?.iter().all(|page| before.contains(page)) {
            if start.elapsed() > PATIENCE {
                return Err(format!("{before:?} ran the page, and nothing does any more").into());
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Types where the keyboard is.
    pub(crate) async fn type_keys(&self, keys: &str) -> Outcome {
        Ok(self.client.active_element().await?.send_keys(keys).await?)
    }

    /// Presses a key together with Ctrl, wherever the keyboard is.
    pub(crate) async fn press_with_ctrl(&self, key: char) -> Outcome {
        let keys: String = [Key::Control.into(), key, Key::Null.into()].into_iter().collect();
        self.type_keys(&keys).await
    }

    pub(crate) async fn reload(&self) -> Outcome {
        Ok(self.client.refresh().await?)
    }

    pub(crate) async fn address(&self) -> Outcome<String> {
        Ok(self.client.current_url().await?.to_string())
    }

    /// Runs a script in the page, as somebody would who has smuggled one in, and returns what its promise comes to.
    pub(crate) async fn run(&self, promise: &str) -> Outcome<String> {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             Promise.resolve().then(() => {promise}).then(() => done('done'), (reason) => done(String(reason)))"
        );
        let reply = self.client.execute_async(&script, Vec::new()).await?;
        Ok(reply.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until something is there.
    pub(crate) async fn see(&self, css: &str) -> Outcome<Element> {
        self.wait_for(Locator::Css(css)).await
    }

    async fn wait_for(&self, locator: Locator<'_>) -> Outcome<Element> {
        at(&format!("{locator:?}"), self.client.wait().at_most(PATIENCE).for_element(locator).await)
    }

    /// Waits until the text of something is as it should be.
    pub(crate) async fn text_of(&self, css: &str, wanted: impl Fn(&str) -> bool) -> Outcome<String> {
        let start = Instant::now();
        loop {
            // What is rendered anew between the look and the question is looked for again.
            let text = match self.client.find(Locator::Css(css)).await {
                Ok(element) => element.prop("textContent").await.ok().flatten(),
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
        at(css, self.see(css).await?.click().await)
    }

    /// Clicks a button of the thing of this kind that speaks of `text`, or the thing if it is one.
    pub(crate) async fn click_on(&self, kind: &str, text: &str) -> Outcome {
        let button = format!("//*[@data-testid='{kind}'][contains(., '{text}')]/descendant-or-self::button[1]");
        at(text, self.wait_for(Locator::XPath(&button)).await?.click().await)
    }

    /// Waits until something is no longer there.
    pub(crate) async fn gone(&self, css: &str) -> Outcome {
        let start = Instant::now();
        while !self.client.find_all(Locator::Css(css)).await?.is_empty() {
            if start.elapsed() > PATIENCE {
                return Err(format!("{css} is still there").into());
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Presses the button with this label.
    pub(crate) async fn press(&self, label: &str) -> Outcome {
        let button = format!("//button[not(@disabled) and normalize-space()='{label}']");
        at(label, self.wait_for(Locator::XPath(&button)).await?.click().await)
    }

    /// Replaces what a field holds, as a person does: an emptied number would be a change of its own.
    pub(crate) async fn fill(&self, css: &str, text: &str) -> Outcome {
        let select_all: String = [Key::Control.into(), 'a', Key::Null.into()].into_iter().collect();
        let field = self.see(css).await?;
        // In two calls: within one, WebKit takes the text for further shortcuts.
        at(css, field.send_keys(&select_all).await)?;
        at(css, field.send_keys(text).await)
    }

    /// What a button copies, as it comes out where it is pasted.
    pub(crate) async fn copied(&self, button: &str) -> Outcome<String> {
        const FIELD: &str = "textarea";
        let start = Instant::now();
        // It says so for two seconds only, which a busy machine may miss.
        loop {
            self.click(button).await?;
            sleep(Duration::from_millis(300)).await;
            if self.see(button).await?.text().await? == "Copied" {
                break;
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("{button} copies nothing").into());
            }
        }
        let paste: String = [Key::Control.into(), 'v', Key::Null.into()].into_iter().collect();
        self.fill(FIELD, &paste).await?;
        Ok(self.see(FIELD).await?.prop("value").await?.unwrap_or_default())
    }

    /// What a field holds.
    pub(crate) async fn value(&self, css: &str) -> Outcome<String> {
        Ok(self.see(css).await?.prop("value").await?.unwrap_or_default())
    }

    /// Waits until a field holds this text.
    pub(crate) async fn holds(&self, css: &str, text: &str) -> Outcome {
        let start = Instant::now();
        loop {
            let value = self.value(css).await?;
            if value == text {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("{css} holds {value:?}").into());
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// The ground that something stands on.
    pub(crate) async fn ground(&self, css: &str) -> Outcome<String> {
        at(css, self.see(css).await?.css_value("background-color").await)
    }

    /// The colour of something.
    pub(crate) async fn colour(&self, css: &str) -> Outcome<String> {
        at(css, self.see(css).await?.css_value("color").await)
    }

    /// Picks an option by its value.
    pub(crate) async fn pick(&self, label: &str, value: &str) -> Outcome {
        let select = format!("//label[normalize-space()='{label}']/following-sibling::*//select");
        at(label, self.wait_for(Locator::XPath(&select)).await?.select_by_value(value).await)
    }

    /// Picks an option by what it says.
    pub(crate) async fn pick_named(&self, label: &str, name: &str) -> Outcome {
        let option =
            format!("//label[normalize-space()='{label}']/following-sibling::*//option[normalize-space()='{name}']");
        let value = self.wait_for(Locator::XPath(&option)).await?.attr("value").await?;
        self.pick(label, &value.unwrap_or_default()).await
    }

    /// Moves a slider one step down, from the keyboard.
    pub(crate) async fn lower(&self, label: &str) -> Outcome {
        let slider = format!("//label[normalize-space()='{label}']/following-sibling::input");
        at(label, self.wait_for(Locator::XPath(&slider)).await?.send_keys(&Key::Left).await)
    }

    /// Sets the most tokens that an answer may have.
    pub(crate) async fn limit(&self, tokens: usize) -> Outcome {
        if let Ok(closed) =
            self.client.find(Locator::Css("aside details:not([open]):has(#control-maxTokens) > summary")).await
        {
            closed.click().await?;
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
            let text = answer.find(Locator::Css("[data-testid=text] .markdown")).await?.prop("textContent").await?;
            answers.push(Answer { state, text: text.unwrap_or_default() });
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

/// Says where a step failed.
fn at<T, E: std::fmt::Display>(place: &str, step: Result<T, E>) -> Outcome<T> {
    step.map_err(|reason| format!("{place}: {reason}").into())
}
