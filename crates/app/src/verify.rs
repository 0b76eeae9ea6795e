//! Proving that an answer is what its target alone would have written.

use engine::{CheckpointRole, Claim, Proof};
use tokio::sync::oneshot;

use crate::{App, Error, Result, StoredMessage};

/// A stored answer, and what became of its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The answer's message.
    pub message: i64,
    /// What the target says of it.
    pub proof: Proof,
}

impl App {
    /// Lets the target read a stored answer again, plainly: the message with this number, or the newest answer.
    ///
    /// # Errors
    /// There is no such answer, its target is not in the list any more, or the target fails.
    pub async fn verify(&self, message: Option<i64>, insist: bool) -> Result<Verified> {
        let row = match message {
            Some(id) => self.store.message(id).await?,
            None => self.store.newest_answer().await?,
        };
        let StoredMessage { id, record: Some(record), .. } = row.ok_or(Error::NoSuchAnswer)?.into() else {
            return Err(Error::NoRecord);
        };
        let claim = Claim {
            target: self.usable(&record.target, CheckpointRole::Target).await?.folder,
            precision: record.precision,
            answer: record.answer,
            memory: self.memory(insist).await?,
        };
        Ok(Verified { message: id, proof: self.prove(claim).await? })
    }

    /// Lets the target read any answer again, plainly. One proof at a time: an earlier one that still runs is stopped.
    ///
    /// # Errors
    /// The target fails.
    pub async fn prove(&self, claim: Claim) -> Result<Proof> {
        let (done, proof) = oneshot::channel();
        // Nobody waits any more if the send fails, so nobody misses the proof.
        let cancel = self.engine.prove(claim, move |proven| drop(done.send(proven)));
        std::mem::replace(&mut *self.proving.lock().await, cancel).cancel();
        Ok(proof.await.unwrap_or(Err(engine::Error::Closed))?)
    }

    /// Stops the proof that runs, if one does.
    pub async fn stop_proving(&self) {
        self.proving.lock().await.cancel();
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use store::{Ask, Asked, State, Written};

    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn only_an_answer_with_a_record_can_be_verified() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        assert!(matches!(app.verify(None, false).await, Err(Error::NoSuchAnswer)));
        assert!(matches!(app.verify(Some(7), false).await, Err(Error::NoSuchAnswer)));
        let conversation = app.store.add_conversation("Why?").await.unwrap().id;
        let Asked { question, answer, .. } =
            app.store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
        assert!(matches!(app.verify(Some(question.id), false).await, Err(Error::NoRecord)));
        app.store.end_message(answer.id, Written::default(), State::Complete, None, Some("[]")).await.unwrap();
        assert!(matches!(app.verify(None, false).await, Err(Error::NoRecord)));
    }
}
