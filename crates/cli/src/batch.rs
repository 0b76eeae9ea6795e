//! `slipstream batch`: every line of a file is a prompt, and several are answered at once.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use app::{Answer, App, Finish, Frame, Message, Prompt, Request, Role};
use serde_json::json;

use crate::INTERRUPTED;
use crate::args::BatchArguments;
use crate::asking::Asking;
use crate::failure::Failure;
use crate::follow::{Transcript, follow};
use crate::keyboard;
use crate::terminal::harmless;

/// Answers all prompts and prints each answer in their order. What cannot be answered is said and left out.
pub(crate) async fn run(app: &App, arguments: BatchArguments, json: bool) -> Result<ExitCode, Failure> {
    let prompts = prompts(&arguments.prompts)?;
    let asking = Asking::new(app, arguments.asking).await?;
    let requests = prompts.iter().map(|prompt| asking.request(prompt)).collect();
    let started = Instant::now();
    let (mut answers, mut failed, mut stopped) = (Vec::new(), false, false);
    for (prompt, answering) in prompts.iter().zip(app.answers(requests, arguments.at_once.into())) {
        match follow(&answering, &mut Unseen).await {
            Ok(answer) if answer.finish == Finish::Cancelled && answer.ids.is_empty() => stopped = true,
            Ok(answer) => {
                stopped |= answer.finish == Finish::Cancelled;
                tell(prompt, &answer, json)?;
                answers.push(answer);
            }
            Err(failure) => {
                failed = true;
                failure.report(json);
            }
        }
    }
    writeln!(io::stderr(), "{}", summary(answers.iter().map(|answer| &**answer), started.elapsed()))?;
    Ok(match (stopped, failed) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::FAILURE,
        (false, false) => ExitCode::SUCCESS,
    })
}

impl Asking {
    fn request(&self, prompt: &str) -> Request {
        let prompt = if self.raw {
            Prompt::Raw(prompt.to_owned())
        } else {
            Prompt::Chat(self.system.iter().cloned().chain([Message::new(Role::User, prompt)]).collect())
        };
        Request { prompt, ..self.request.clone() }
    }
}

/// The lines that say something.
fn prompts(file: &Path) -> Result<Vec<String>, Failure> {
    let text = if file == Path::new("-") {
        keyboard::everything()?
    } else {
        let unread = |error| Failure::Usage(format!("the prompts in {} cannot be read: {error}", file.display()));
        std::fs::read_to_string(file).map_err(unread)?
    };
    let prompts = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>();
    if prompts.is_empty() {
        return Err(Failure::Usage(format!("there is no prompt in {}; write one in each line", file.display())));
    }
    Ok(prompts)
}

/// Several answers come at once, so none is shown before it is whole.
struct Unseen;

impl Transcript for Unseen {
    fn write(&mut self, _frame: &Frame) -> io::Result<()> {
        Ok(())
    }
}

fn tell(prompt: &str, answer: &Answer, json: bool) -> io::Result<()> {
    if json {
        return writeln!(io::stdout(), "{}", json!({ "prompt": prompt, "answer": answer }));
    }
    writeln!(io::stdout(), "> {}\n{}\n", harmless(prompt), harmless(&answer.text))
}

/// How it went, all answers together.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn summary<'a>(answers: impl Iterator<Item = &'a Answer>, took: Duration) -> String {
    let (mut count, mut tokens, mut rounds) = (0_usize, 0_usize, 0_usize);
    for answer in answers {
        (count, tokens, rounds) = (count + 1, tokens + answer.stats.tokens, rounds + answer.stats.rounds);
    }
    let (seconds, word) = (took.as_secs_f64(), if count == 1 { "answer" } else { "answers" });
    let rate = if seconds > 0.0 { format!("{:.1}", tokens as f64 / seconds) } else { "–".into() };
    let per_round = if rounds > 0 { format!("{:.2}", tokens as f64 / rounds as f64) } else { "–".into() };
    format!(
        "{count} {word}, {tokens} tokens in {seconds:.1} s: {rate} tokens/s together, reading included; \
         {per_round} tokens per round"
    )
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::follow::script::answer;

    #[test]
    fn every_line_that_says_something_is_a_prompt() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "one\n\n  \n two \n").unwrap();
        assert_eq!(prompts(file.path()).unwrap(), ["one", " two "]);
        std::fs::write(file.path(), "\n").unwrap();
        assert!(matches!(prompts(file.path()), Err(Failure::Usage(why)) if why.starts_with("there is no prompt")));
        assert!(matches!(prompts(Path::new("/nowhere")), Err(Failure::Usage(why)) if why.contains("cannot be read")));
    }

    #[test]
    fn a_summary_counts_all_answers_and_has_a_dash_where_there_is_nothing_to_divide_by() {
        let one = answer("ab");
        let two = summary([&one, &one].into_iter(), Duration::from_secs(2));
        assert!(two.starts_with("2 answers, ") && two.contains(" in 2.0 s: "), "{two}");
        let none = summary([].into_iter(), Duration::ZERO);
        assert!(none.starts_with("0 answers, 0 tokens in 0.0 s: – tokens/s") && none.ends_with("– tokens per round"));
    }
}
