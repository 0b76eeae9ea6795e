//! What somebody wants compared, and with what it is measured.

use engine::{CheckpointRole, DraftSource, Drafts, Message, Mode, Plan, Precision, Prompt, Role, lookup};
use serde::{Deserialize, Serialize};
use store::ComparisonPrompt;

use crate::costs::machine;
use crate::library::blocking;
use crate::{App, Error, LOOKUP, Result, Suite};

/// What a single prompt is one of.
const PROMPT: &str = "Your prompt";

/// A drafter, and how it is to draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// Its id, or [`LOOKUP`].
    pub drafter: String,
    /// How long its drafts are.
    #[serde(flatten)]
    pub mode: Mode,
}

/// What somebody wants compared: these drafters with each other and with plain decoding, under the coupled rule, with
/// which all of them write the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonOrder {
    /// The target's id.
    pub target: String,
    /// Two to four of them.
    pub contenders: Vec<Contender>,
    /// The number type to compute in.
    pub precision: Precision,
    /// Whether the target thinks before it answers.
    pub thinking: bool,
    /// How freely the target chooses; 0 takes the likeliest token.
    pub temperature: f32,
    /// What its choices are drawn with.
    pub seed: u64,
    /// The one prompt that is asked; `None` asks the suites.
    pub prompt: Option<String>,
    /// Built-in suites, by id; each is a workload of its own.
    pub suites: Vec<String>,
    /// At most so many prompts of each suite.
    pub prompts: u32,
    /// The most tokens of each answer.
    pub tokens: u32,
}

/// What a comparison is measured with: under others its numbers are others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The machine.
    pub machine: String,
    /// The release of Slipstream.
    pub release: String,
    /// The fingerprint of the target's files.
    pub target: String,
    /// That of each contender's files; `None` of one without.
    pub drafters: Vec<Option<String>>,
}

impl Contender {
    /// One that drafts as long as is worth the time.
    #[must_use]
    pub fn auto(drafter: &str) -> Self {
        Self { drafter: drafter.to_owned(), mode: Mode::Auto }
    }

    /// What its column is called.
    #[must_use]
    pub fn title(&self) -> String {
        let drafter = &self.drafter;
        match self.mode {
            Mode::Auto => drafter.clone(),
            mode => format!("{drafter}, {mode}"),
        }
    }

    /// Why a drafter that drafts like this cannot draft as is asked.
    fn obstacle(&self, drafts: Drafts) -> Option<String> {
        match self.mode {
            Mode::Plain | Mode::Fixed { gamma: 0 } => Some("plain decoding is compared anyway".into()),
            Mode::Fixed { gamma } if gamma > drafts.limit => {
                Some(format!("it proposes {} tokens at most, not {gamma}", drafts.limit))
            }
            Mode::Thresholds if !drafts.confident => Some("it has no confidence in its tokens".into()),
            _ => None,
        }
    }
}

impl ComparisonOrder {
    /// Prompts of each suite, where nobody says otherwise.
    pub const PROMPTS: u32 = 8;
    /// Tokens of an answer, likewise.
    pub const TOKENS: u32 = 128;

    /// What is asked, and that in a few words.
    pub(super) fn prompts(&self) -> Result<(Vec<ComparisonPrompt>, String)> {
        let mut asked = Vec::new();
        if let Some(prompt) = self.prompt.as_deref().map(str::trim) {
            asked.extend(Some((PROMPT, prompt.to_owned())).filter(|_| !prompt.is_empty()));
        } else {
            for id in &self.suites {
                let suite = Suite::named(id).ok_or_else(|| Error::NoSuchSuite(id.clone()))?;
                asked.extend(suite.prompts().take(self.prompts as usize).map(|text| (suite.title, text.to_owned())));
            }
        }
        let mut titles = asked.iter().map(|(suite, _)| *suite).collect::<Vec<_>>();
        titles.dedup();
        let data = match (&asked[..], &titles[..]) {
            ([], _) => return Err(Error::NothingToCompare),
            ([(PROMPT, text)], _) => format!("“{text}”"),
            (asked, titles) => format!("{} prompts: {}", asked.len(), titles.join(", ")),
        };
        let numbered = (0..).zip(asked);
        let prompts =
            numbered.map(|(number, (suite, text))| ComparisonPrompt { number, suite: suite.to_owned(), text });
        Ok((prompts.collect(), data))
    }

    /// The title of each column.
    pub(super) fn titles(&self) -> Vec<String> {
        [String::from("Plain")].into_iter().chain(self.contenders.iter().map(Contender::title)).collect()
    }
}

/// What the models read of a prompt's text.
pub(super) fn prompt(text: &str) -> Prompt {
    Prompt::Chat(vec![Message::new(Role::User, text.to_owned())])
}

impl App {
    /// The same order with ids as the list has them, if it can be met.
    pub(super) async fn checked(&self, order: ComparisonOrder) -> Result<ComparisonOrder> {
        let count = order.contenders.len();
        if !(2..=4).contains(&count) {
            return Err(Error::Contenders(count));
        }
        let target = self.usable(&order.target, CheckpointRole::Target).await?;
        let mut contenders = Vec::new();
        for Contender { drafter, mode } in &order.contenders {
            let (drafter, drafts) = if drafter == LOOKUP {
                (drafter.clone(), Some(lookup()))
            } else {
                let model = self.usable(drafter, CheckpointRole::Drafter).await?;
                (model.id, model.drafts)
            };
            let contender = Contender { drafter, mode: *mode };
            if let Some(why) = drafts.and_then(|drafts| contender.obstacle(drafts)) {
                return Err(Error::NoSuchWay { drafter: contender.drafter, why });
            }
            contenders.push(contender);
        }
        let twice = (1..count).find(|&at| contenders[..at].contains(&contenders[at]));
        if let Some(at) = twice {
            return Err(Error::SameContender(contenders.swap_remove(at).drafter));
        }
        for Contender { drafter, .. } in &contenders {
            let (folder, source) = (target.folder.clone(), self.usable_drafter(drafter).await?.1);
            blocking(move || Ok(Plan::of(&folder, Some(&source), order.precision)?)).await?;
        }
        if order.thinking && !self.thinks(&target.folder).await? {
            return Err(Error::NoThinking(target.id));
        }
        Ok(ComparisonOrder { target: target.id, contenders, ..order })
    }

    /// What an order is measured with now.
    pub(super) async fn conditions(&self, order: &ComparisonOrder) -> Result<Conditions> {
        self.conditions_of(&order.target, order.contenders.iter().map(|contender| &*contender.drafter)).await
    }

    /// What models with these ids are measured with now.
    pub(crate) async fn conditions_of(
        &self,
        target: &str,
        drafters_by_id: impl Iterator<Item = &str>,
    ) -> Result<Conditions> {
        let target = self.usable(target, CheckpointRole::Target).await?.folder;
        let mut drafters = Vec::new();
        for drafter in drafters_by_id {
            drafters.push(match self.usable_drafter(drafter).await?.1 {
                DraftSource::Folder(folder) => Some(self.fingerprint(&folder).await?),
                DraftSource::Lookup => None,
            });
        }
        let (machine, release) = (machine(), env!("CARGO_PKG_VERSION").to_owned());
        Ok(Conditions { machine, release, target: self.fingerprint(&target).await?, drafters })
    }
}
