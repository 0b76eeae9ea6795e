//! `slipstream drafter train`: a training, followed to its end.

use std::io::{self, Write};
use std::process::ExitCode;

use app::{App, Training, TrainingEstimate, TrainingLength, TrainingOrder, TrainingState, size};
use serde_json::{Value, json};

use crate::INTERRUPTED;
use crate::failure::Failure;
use crate::models::print;
use crate::progress::{Line, about};
use crate::terminal::harmless;
use crate::work::{self, Work, with_time_left};

/// Trains a drafter, or goes on with a training that was ordered likewise.
pub(crate) async fn run(app: &App, order: TrainingOrder, json: bool) -> Result<ExitCode, Failure> {
    // What cannot be estimated cannot be started either, unless it goes on; the start says so.
    if let Ok(estimate) = app.estimate_training(&order).await {
        tell_estimate(&estimate, json)?;
    }
    let training = app.start_training(order).await?;
    follow(app, training, json).await
}

/// Goes on with a training; with one that never did better anew, this long.
pub(crate) async fn resume(
    app: &App,
    id: i64,
    longer: Option<TrainingLength>,
    json: bool,
) -> Result<ExitCode, Failure> {
    let training = match longer {
        Some(length) => app.train_longer(id, length).await?,
        None => app.resume_training(id).await?,
    };
    follow(app, training, json).await
}

/// Follows a training to its end.
async fn follow(app: &App, training: Training, json: bool) -> Result<ExitCode, Failure> {
    let mut told = Told::new(&training);
    let training = work::follow(app, training, |training| told.tell(training, json)).await?;
    ended(&training, json)
}

impl Work for Training {
    fn id(&self) -> i64 {
        self.id
    }

    fn is_running(&self) -> bool {
        self.is_running()
    }

    async fn look(app: &App, id: i64) -> app::Result<Self> {
        app.training(id).await
    }

    async fn pause(app: &App, id: i64) -> app::Result<Self> {
        app.pause_training(id).await
    }

    async fn rest(app: &App) {
        app.pause_trainings().await;
    }
}

/// Says what it will take, about.
fn tell_estimate(estimate: &TrainingEstimate, json: bool) -> io::Result<()> {
    let TrainingEstimate { prompts, seconds_answers, guessed, seconds_steps, disk, memory, .. } = *estimate;
    if json {
        let seconds = json!({ "answers": seconds_answers, "guessed": guessed, "steps": seconds_steps });
        let value =
            json!({ "event": "estimate", "prompts": prompts, "seconds": seconds, "disk": disk, "memory": memory });
        return writeln!(io::stdout(), "{value}");
    }
    let mut text = format!("{prompts} prompts; up to {} of memory and {} of disk", size(memory), size(disk));
    let answers = if guessed { "the answers, as a guess" } else { "the answers" };
    for (what, seconds) in [(answers, seconds_answers), ("the steps", seconds_steps)] {
        if let Some(seconds) = seconds {
            text.extend(["; ", &about(seconds), " for ", what]);
        }
    }
    writeln!(io::stderr(), "{text}")
}

/// Says how it ended.
fn ended(training: &Training, json: bool) -> Result<ExitCode, Failure> {
    let Training { id, name, state, drafter, failure, .. } = training;
    if let Some(failure) = failure {
        let longer = format!("{failure}: slipstream drafter resume {id} --steps {}", 2 * training.steps);
        return Err(Failure::Sentence(if training.keeps_answers { longer } else { failure.clone() }));
    }
    let tau = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    let paused = *state == TrainingState::Paused;
    let text = match (drafter, paused) {
        (Some(drafter), _) => format!(
            "{drafter} is in the list: {} tokens a round on answers that it was not taught, {} untrained",
            tau(training.at_best()),
            tau(training.at_start())
        ),
        (None, true) => {
            format!("{name} is paused at {}; slipstream drafter resume {id} goes on with it", stand(training))
        }
        (None, false) => format!("{name} was stopped"),
    };
    let mut value = value(training);
    value["event"] = json!(if paused { "paused" } else { "ended" });
    writeln!(io::stdout(), "{}", if json { value.to_string() } else { harmless(&text) })?;
    Ok(if paused { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The trainings, for people and for programs.
pub(crate) async fn list(app: &App, json: bool) -> Result<ExitCode, Failure> {
    let trainings = app.trainings().await?;
    let text = match &trainings[..] {
        [] => "no trainings; begin one with: slipstream drafter train".to_owned(),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    };
    print(json, &trainings.iter().map(value).collect(), &text)
}

/// Ends a training, and keeps its best drafter.
pub(crate) async fn stop(app: &App, id: i64, json: bool) -> Result<ExitCode, Failure> {
    let training = app.stop_training(id).await?;
    print(json, &value(&training), &line(&training))
}

/// Takes a training off the list.
pub(crate) async fn forget(app: &App, id: i64, json: bool) -> Result<ExitCode, Failure> {
    app.remove_training(id).await?;
    print(json, &json!({ "forgotten": id }), &format!("training {id} is off the list"))
}

fn line(training: &Training) -> String {
    let Training { id, name, target, data, failure, drafter, .. } = training;
    let end = failure.as_ref().or(drafter.as_ref()).map(|end| format!("  {end}")).unwrap_or_default();
    format!("{id:>4}  {name:<24}  {:<9}  for {target}, {data}; {}{end}", state(training.state), stand(training))
}

fn value(training: &Training) -> Value {
    json!({
        "id": training.id,
        "name": training.name,
        "target": training.target,
        "data": training.data,
        "state": state(training.state),
        "failure": training.failure,
        "answers": { "done": training.answers_done, "of": training.answers_of },
        "step": training.step,
        "steps": training.steps,
        "start": training.at_start(),
        "best": training.at_best(),
        "drafter": training.drafter,
    })
}

/// How far it is.
fn stand(training: &Training) -> String {
    let Training { answers_done, answers_of, step, steps, .. } = training;
    if *step > 0 { format!("step {step} of {steps}") } else { format!("answer {answers_done} of {answers_of}") }
}

fn state(state: TrainingState) -> &'static str {
    match state {
        TrainingState::Waiting => "waiting",
        TrainingState::Answering => "answering",
        TrainingState::Training => "training",
        TrainingState::Paused => "paused",
        TrainingState::Done => "done",
        TrainingState::Stopped => "stopped",
        TrainingState::Failed => "failed",
    }
}

/// What was told of a training.
struct Told {
    line: Line,
    answers: usize,
    /// Points of both curves.
    losses: usize,
    measured: usize,
}

impl Told {
    /// What an earlier run told is not told again.
    fn new(training: &Training) -> Self {
        let (losses, measured) = (training.loss.len(), training.tokens_per_round.len());
        Self { line: Line::new(), answers: training.answers_done, losses, measured }
    }

    fn tell(&mut self, training: &Training, json: bool) -> io::Result<()> {
        let mut lines = Vec::new();
        if training.answers_done > self.answers {
            self.answers = training.answers_done;
            let value = json!({ "event": "answering", "done": training.answers_done, "of": training.answers_of });
            lines.push((training.step, value, None));
        }
        for &(step, loss) in training.loss.iter().skip(self.losses) {
            let text = format!("step {step} of {}: loss {loss:.3}", training.steps);
            lines.push((
                step,
                json!({ "event": "step", "step": step, "of": training.steps, "loss": loss }),
                Some(text),
            ));
        }
        for &(step, tau, best) in training.tokens_per_round.iter().skip(self.measured) {
            let text = format!("step {step}: {tau:.2} tokens a round{}", if best { ", the best so far" } else { "" });
            let value = json!({ "event": "measured", "step": step, "tokens_per_round": tau, "best": best });
            lines.push((step, value, Some(text)));
        }
        (self.losses, self.measured) = (training.loss.len(), training.tokens_per_round.len());
        lines.sort_by_key(|&(step, ..)| step);
        self.line.end()?;
        for (_, value, text) in lines {
            write(json, &value, text.as_deref())?;
        }
        if training.is_running() { self.line.write(&doing(training)) } else { Ok(()) }
    }
}

fn write(json: bool, value: &Value, text: Option<&str>) -> io::Result<()> {
    match (json, text) {
        (true, _) => writeln!(io::stdout(), "{value}"),
        (false, Some(text)) => writeln!(io::stdout(), "{text}"),
        (false, None) => Ok(()),
    }
}

/// What it does at present.
fn doing(training: &Training) -> String {
    let Training { answers_done, answers_of, step, steps, .. } = training;
    let what = match training.state {
        _ if training.pausing => return "it pauses".to_owned(),
        TrainingState::Answering if answers_done == answers_of => "the first step is prepared".to_owned(),
        TrainingState::Answering => format!("the target answers: {answers_done} of {answers_of}"),
        TrainingState::Training => format!("the drafter learns: step {step} of {steps}"),
        _ => "waiting".to_owned(),
    };
    with_time_left(what, training.seconds_left)
}
