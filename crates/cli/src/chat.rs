//! `slipstream chat`: one answer, or a chat line by line that is remembered until the program ends.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use app::{Answer, App, Claim, Finish, Message, Prompt, Request, Role};
use tokio::signal::ctrl_c;

use crate::INTERRUPTED;
use crate::args::ChatArguments;
use crate::asking::Asking;
use crate::events::Events;
use crate::failure::Failure;
use crate::follow::{Transcript, follow};
use crate::keyboard;
use crate::text::Text;
use crate::verify;

/// Answers the prompt if there is one, else everything that is piped in, else line by line.
pub(crate) async fn run(app: &App, mut arguments: ChatArguments, json: bool) -> Result<ExitCode, Failure> {
    let prompt = match arguments.prompt.take() {
        None if !keyboard::is_terminal() => Some(keyboard::everything()?),
        prompt => prompt,
    };
    if prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Failure::Usage("the prompt is empty".into()));
    }
    let mut chat = Chat::new(app, arguments, json).await?;
    match prompt {
        Some(prompt) => {
            let answer = chat.answer(prompt).await?;
            if answer.finish == Finish::Cancelled {
                return Ok(ExitCode::from(INTERRUPTED));
            }
            let holds = chat.verify(&answer).await?;
            Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        None => chat.line_by_line().await,
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Chat<'a> {
    app: &'a App,
    /// With an empty prompt.
    request: Request,
    raw: bool,
    turns: Vec<Message>,
    json: bool,
    show_raw: bool,
    verify: bool,
}

impl<'a> Chat<'a> {
    async fn new(app: &'a App, arguments: ChatArguments, json: bool) -> Result<Self, Failure> {
        let ChatArguments { asking, show_raw, verify, .. } = arguments;
        let Asking { request, raw, system } = Asking::new(app, asking).await?;
        Ok(Self { app, request, raw, turns: system.into_iter().collect(), json, show_raw, verify })
    }

    async fn answer(&mut self, text: String) -> Result<Arc<Answer>, Failure> {
        let before = self.turns.len();
        let prompt = if self.raw {
            Prompt::Raw(text)
        } else {
            self.turns.push(Message::new(Role::User, text));
            Prompt::Chat(self.turns.clone())
        };
        let answering = self.app.answer(Request { prompt, ..self.request.clone() });
        let answer = follow(&answering, &mut *self.transcript()).await;
        if let Ok(answer) = &answer {
            self.app.keep_cost(&self.request, &answer.cost).await?;
            self.request.cost = answer.cost.clone();
        }
        match &answer {
            Ok(answer) if self.raw || answer.text.is_empty() => self.turns.truncate(before),
            Ok(answer) => {
                // Whether a thought is read again is the template's choice.
                let reasoning = Some(answer.thought.clone()).filter(|thought| !thought.is_empty());
                self.turns.push(Message { reasoning, ..Message::new(Role::Assistant, answer.text.as_str()) });
            }
            Err(_) => self.turns.truncate(before),
        }
        answer
    }

    /// Proves an answer if that is asked for, and tells. Returns whether nothing is wrong with it.
    async fn verify(&self, answer: &Answer) -> Result<bool, Failure> {
        if !self.verify {
            return Ok(true);
        }
        let Request { target, precision, memory, .. } = self.request.clone();
        let claim = Claim { target, precision, answer: answer.clone(), memory };
        let proof = verify::patiently(self.app.prove(claim)).await?;
        if self.json {
            writeln!(io::stdout(), "{}", verify::value(&proof))?;
        } else {
            writeln!(io::stderr(), "{}", verify::sentence(&proof))?;
        }
        Ok(!proof.is_fault())
    }

    /// Ends with the input, or with Ctrl-C while nothing is being written.
    async fn line_by_line(&mut self) -> Result<ExitCode, Failure> {
        let mut lines = keyboard::lines();
        loop {
            write!(io::stderr(), "> ")?;
            let line = tokio::select! {
                line = lines.recv() => line,
                _ = ctrl_c() => return Ok(ExitCode::from(INTERRUPTED)),
            };
            let Some(line) = line.transpose()? else { return Ok(ExitCode::SUCCESS) };
            if line.trim().is_empty() {
                continue;
            }
            let answered = match self.answer(line).await {
                Ok(answer) => self.verify(&answer).await.map(drop),
                Err(failure) => Err(failure),
            };
            match answered {
                Ok(()) => {}
                Err(Failure::BrokenPipe) => return Err(Failure::BrokenPipe),
                // The next line may do better.
                Err(failure) => drop(failure.report(self.json)),
            }
        }
    }

    fn transcript(&self) -> Box<dyn Transcript> {
        if self.json {
            return Box::new(Events::new(io::stdout()));
        }
        let (out, err) = (io::stdout(), io::stderr());
        let (out_is_terminal, err_is_terminal) = (out.is_terminal(), err.is_terminal());
        Box::new(Text::new(out, out_is_terminal, err, err_is_terminal, self.show_raw))
    }
}
