//! Saying something, and the answer that is being written.

use std::sync::Arc;

use engine::{CheckpointRole, Controls, Event, Precision, Prompt, Request};
use store::{Ask, Asked, Attachment, Author, Conversation};
use tokio::sync::oneshot;

use crate::answering::Feed;
use crate::going_on::Earlier;
use crate::history::{history, title};
use crate::keeping::Keeper;
use crate::{Answering, App, Error, Result, StoredMessage};

/// What to answer, and so where in a conversation the answer stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// The first of a new conversation.
    First {
        /// What is asked.
        text: String,
        /// Text files that go with it.
        attachments: Vec<Attachment>,
        /// What the models are told before; often nothing.
        system: String,
    },
    /// A new one at the end of the branch that is shown.
    Next {
        /// The conversation.
        conversation: i64,
        /// What is asked.
        text: String,
        /// Text files that go with it.
        attachments: Vec<Attachment>,
    },
    /// A new one beside another, with the same files: that one, and all that was said behind it, is a branch of its own from then on.
    Beside {
        /// The other question's message.
        message: i64,
        /// What is asked instead.
        text: String,
    },
    /// One that was asked before: its answers stand beside each other.
    Again {
        /// The question's message, or that of an answer to it.
        message: i64,
    },
    /// None: an answer goes on in its own message.
    Rest {
        /// The answer's message.
        message: i64,
    },
}

/// Something to say, to whom, and how to answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Say {
    /// What to answer.
    pub question: Question,
    /// The target's id.
    pub target: String,
    /// The drafter's id or [`LOOKUP`](crate::LOOKUP); `None` decodes plainly.
    pub drafter: Option<String>,
    /// The number type to compute in.
    pub precision: Precision,
    /// How to answer.
    pub controls: Controls,
    /// Whether the user insists although there is not enough memory.
    pub insist: bool,
    /// Whether the answer's rounds tell how probable their tokens were; the answer is the same.
    pub observe: bool,
}

/// What was said, and the answer that is on its way.
#[derive(Debug, Clone)]
pub struct Said {
    /// Where.
    pub conversation: Conversation,
    /// The user's message.
    pub question: StoredMessage,
    /// The model's message, still running.
    pub answer: StoredMessage,
    /// Follows the answer.
    pub answering: Answering,
}

/// The answer that is being written.
#[derive(Debug, Clone)]
pub struct Running {
    /// Where.
    pub conversation: i64,
    /// The message it becomes.
    pub message: i64,
    /// Follows it.
    pub answering: Answering,
}

impl App {
    /// Stores a question, unless it was asked before, and begins to answer it. The answer is stored too, about once a
    /// second while it runs. No other branch is touched. A proof that still runs is stopped: it can be asked for again.
    ///
    /// # Errors
    /// Another answer is running, the question is empty, or a model, the conversation or the message is not there.
    pub async fn say(&self, say: Say) -> Result<Said> {
        self.begin(say, Earlier::Nothing).await
    }

    /// The same for an answer that has to do with an earlier one.
    pub(crate) async fn begin(&self, say: Say, earlier: Earlier) -> Result<Said> {
        // Held until the answer runs, so that two questions at once cannot both find the engine free.
        let mut running = self.running.lock().await;
        if running.is_some() {
            return Err(Error::Busy);
        }
        let target = self.usable(&say.target, CheckpointRole::Target).await?;
        let drafter = match &say.drafter {
            Some(id) => Some(self.usable_drafter(id).await?),
            None => None,
        };
        let (drafter_id, drafter) = drafter.unzip();
        let thinking = say.controls.thinking;
        let calibration = self.calibration_for(&target.folder, drafter.as_ref(), say.precision, thinking).await?;
        let cost = self.cost(&target.folder, drafter.as_ref(), say.precision).await?;
        let memory = self.memory(say.insist).await?;

        let ask = self.place(&say.question).await?;
        let asked = self.store.ask(ask, &target.id, drafter_id.as_deref()).await?;
        let Asked { conversation, earlier: before, question, answer } = asked;
        let request = Request {
            cost,
            begun: earlier.begun(),
            calibration,
            observe: say.observe,
            drafter,
            precision: say.precision,
            controls: say.controls,
            memory,
            ..Request::new(target.folder, Prompt::Chat(history(&conversation.system, &before, &question)))
        };
        let keeper = Keeper {
            store: self.store.clone(),
            message: answer.id,
            earlier,
            target: target.id,
            drafter: drafter_id,
            precision: request.precision,
        };
        self.stop_proving().await;
        let answering = self.answer_and_keep(request, keeper);
        *running = Some(Running { conversation: conversation.id, message: answer.id, answering: answering.clone() });
        Ok(Said { conversation, question: question.into(), answer: answer.into(), answering })
    }

    /// Where a question stands; that of a new conversation begins it.
    async fn place<'a>(&self, question: &'a Question) -> Result<Ask<'a>> {
        let said = |text: &'a str| Some(text.trim()).filter(|text| !text.is_empty()).ok_or(Error::Empty);
        match question {
            Question::First { text, attachments, system } => {
                let text = said(text)?;
                let conversation = self.store.add_conversation(&title(text)).await?.id;
                self.store.set_system(conversation, system.trim()).await?;
                Ok(Ask::Next { conversation, text, attachments })
            }
            Question::Next { conversation, text, attachments } => {
                let conversation = self.conversation(*conversation).await?.id;
                Ok(Ask::Next { conversation, text: said(text)?, attachments })
            }
            Question::Beside { message, text } => {
                Ok(Ask::Beside { question: self.question(*message).await?, text: said(text)? })
            }
            Question::Again { message } => Ok(Ask::Again { question: self.question(*message).await? }),
            Question::Rest { message } => {
                self.question(*message).await?;
                Ok(Ask::Rest { answer: *message })
            }
        }
    }

    /// The question that a message of a conversation of the list is, or answers.
    async fn question(&self, message: i64) -> Result<i64> {
        let found = self.message(message).await?;
        self.conversation(found.conversation).await?;
        match found.author {
            Author::User => Ok(found.id),
            Author::Assistant => found.parent.ok_or(Error::NoSuchMessage(message)),
        }
    }

    /// The last event takes another way than the rest: readers see the end when it is stored and the next message may
    /// come, never before.
    fn answer_and_keep(&self, request: Request, keeper: Keeper) -> Answering {
        let feed = Arc::new(Feed::default());
        let (end, last) = oneshot::channel();
        let mut end = Some(end);
        let sink = Arc::clone(&feed);
        let cancel = self.engine.answer(request.clone(), move |event| {
            let is_last = matches!(event, Event::End(_) | Event::Failed(_));
            match end.take_if(|_| is_last) {
                // Nobody listens if the runtime is going down.
                Some(end) => drop(end.send(event)),
                None => sink.push(event),
            }
        });
        let answering = Answering::new(&feed, cancel);
        let app = self.clone();
        tokio::spawn(async move {
            let last = keeper.keep(&feed, last).await;
            if let Ok(Event::End(answer)) = &last {
                // Without it the next answer measures once more; this one is none the worse.
                let _ = app.keep_cost(&request, &answer.cost).await;
            }
            *app.running.lock().await = None;
            match last {
                Ok(event) => feed.push(event),
                Err(error) => feed.fail(error),
            }
        });
        answering
    }

    /// The answer that is being written, if any.
    pub async fn running(&self) -> Option<Running> {
        self.running.lock().await.clone()
    }

    /// Stops the answer that is being written, if any. What it says so far is kept.
    pub async fn stop(&self) {
        if let Some(running) = self.running().await {
            running.answering.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use engine::Cancel;
    use store::State;

    use super::*;
    use crate::{Code, Phase, testing};

    fn say(text: &str, target: &str, drafter: Option<&str>) -> Say {
        Say {
            question: Question::First { text: text.into(), attachments: vec![], system: String::new() },
            target: target.into(),
            drafter: drafter.map(Into::into),
            precision: Precision::default(),
            controls: Controls::default(),
            insist: false,
            observe: false,
        }
    }

    #[tokio::test]
    async fn an_answer_that_fails_is_stored_before_its_end_is_seen_and_the_next_may_come() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        // The target's folder is empty, so the engine refuses it.
        let said = app.say(say(" Why is\nthe sky blue? ", "T", Some("d"))).await.unwrap();
        assert_eq!(said.conversation.title, "Why is the sky blue?");
        assert_eq!(said.conversation.target_id.as_deref(), Some("t"));
        assert_eq!((said.question.text.as_str(), said.answer.state), ("Why is\nthe sky blue?", State::Running));

        let mut reader = said.answering.reader();
        let mut last = None;
        while let Some(frame) = reader.next().await {
            last = Some(frame.phase);
        }
        let Some(Phase::Ended(Err(error))) = last else { unreachable!("{last:?}") };
        let stored = app.messages(said.conversation.id).await.unwrap().pop().unwrap();
        assert_eq!((stored.state, stored.note), (State::Failed, Some(error.to_string())));
        assert!(app.running().await.is_none());

        let next = Question::Next { conversation: said.conversation.id, text: "And now?".into(), attachments: vec![] };
        let again = Say { question: next, ..say("", "t", None) };
        assert_eq!(app.say(again).await.unwrap().conversation.id, said.conversation.id);
    }

    #[tokio::test]
    async fn one_answer_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let feed = Feed::default();
        let answering = Answering::new(&feed, Cancel::default());
        *app.running.lock().await = Some(Running { conversation: 1, message: 1, answering });
        assert!(matches!(app.say(say("Hello", "t", None)).await, Err(Error::Busy)));
        assert!(app.conversations().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_cannot_be_said_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        assert!(matches!(app.say(say(" \n", "t", None)).await, Err(Error::Empty)));
        let nowhere = Question::Next { conversation: 7, text: "Hello".into(), attachments: vec![] };
        let nowhere = Say { question: nowhere, ..say("", "t", None) };
        assert!(matches!(app.say(nowhere).await, Err(Error::NoSuchConversation(7))));
        for (target, drafter, code) in
            [("x", None, Code::PickTarget), ("d", None, Code::PickTarget), ("t", Some("t"), Code::PickDrafter)]
        {
            let refused = app.say(say("Hello", target, drafter)).await.unwrap_err();
            assert_eq!(refused.code(), Some(code), "{refused}");
        }
        assert!(app.conversations().await.unwrap().is_empty());
    }

    /// Asks something, and waits until the answer has failed.
    async fn asked(app: &App, question: Question) -> Said {
        let said = app.say(Say { question, ..say("", "t", None) }).await.unwrap();
        let mut reader = said.answering.reader();
        while reader.next().await.is_some() {}
        said
    }

    #[tokio::test]
    async fn an_edited_question_and_another_answer_begin_branches_and_keep_the_old_ones() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let first =
            asked(&app, Question::First { text: "Why?".into(), attachments: vec![], system: String::new() }).await;
        let edited = asked(&app, Question::Beside { message: first.question.id, text: " What? ".into() }).await;
        assert_eq!((edited.conversation.id, edited.question.text.as_str()), (first.conversation.id, "What?"));
        assert_eq!(edited.question.siblings, [first.question.id, edited.question.id]);
        // By the question, and by an answer to it.
        let again = asked(&app, Question::Again { message: first.question.id }).await;
        let once_more = asked(&app, Question::Again { message: again.answer.id }).await;
        assert_eq!(once_more.answer.siblings, [first.answer.id, again.answer.id, once_more.answer.id]);
        let shown = app.show_branch(edited.answer.id).await.unwrap();
        assert_eq!(shown.iter().map(|message| message.id).collect::<Vec<_>>(), [edited.question.id, edited.answer.id]);
        assert_eq!(shown, app.messages(first.conversation.id).await.unwrap());
        assert_eq!(app.message(first.answer.id).await.unwrap().state, State::Failed);
    }

    #[tokio::test]
    async fn nothing_is_asked_in_a_conversation_that_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let first =
            asked(&app, Question::First { text: "Why?".into(), attachments: vec![], system: String::new() }).await;
        let (conversation, message) = (first.conversation.id, first.question.id);
        let empty = Question::Beside { message, text: " ".into() };
        let lost = Question::Again { message: message + 9 };
        for (question, said) in [(empty, "the message is empty"), (lost, "there is no message")] {
            let refused = app.say(Say { question, ..say("", "t", None) }).await.unwrap_err();
            assert!(refused.to_string().starts_with(said), "{refused}");
        }
        app.remove_conversation(conversation).await.unwrap();
        let next = Question::Next { conversation, text: "And?".into(), attachments: vec![] };
        for question in [next, Question::Again { message }, Question::Beside { message, text: "And?".into() }] {
            let refused = app.say(Say { question, ..say("", "t", None) }).await.unwrap_err();
            assert!(matches!(refused, Error::NoSuchConversation(_)), "{refused}");
        }
        assert_eq!(app.messages(conversation).await.unwrap().len(), 2);
    }
}
