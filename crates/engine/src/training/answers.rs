//! What the drafter learns from: the target's answers to the prompts, and what it computes of them.
//!
//! An answer takes long to make and is short to keep, what the target computes of it the other way round. So each answer
//! is written down at once, and shards are written whole: wherever a training ends, it goes on with the same shards.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    time::Instant,
};

use chat::PromptOptions;
use decode::{Limits, Token};
use nn::{Sampler, Sampling, Vocabulary};
use training::{Data, Random, ShardWriter, capture, regenerate};

use super::{Desk, Lesson, LessonEvent};
use crate::{Error, Prompt, Result, models::Target};

/// The most tokens of a prompt, and of an answer.
pub(super) const LONGEST: usize = 2048;
pub(super) const ANSWER: usize = 192;

/// Answers of a shard, unless they are long.
const PER_SHARD: usize = 64;

/// The temperatures of the answers, in turns: most people ask at one or the other.
const TEMPERATURES: [f32; 3] = [0.0, 0.0, 0.7];

/// Captures what the target says to the prompts, as far as that is not done, and returns whether all of it is: somebody
/// may want the lesson to pause.
pub(super) fn listen(lesson: &Lesson, target: &Target, taps: &[usize], desk: &mut Desk<'_>) -> Result<bool> {
    let (shards, prompts) = (shards(&lesson.folder), prompts(lesson, target)?);
    let mut written = Written::open(&lesson.folder)?;
    let known = written.answers.len();
    let hidden = usize::try_from(target.model.hidden_size()).unwrap_or(0);
    let mut writer = ShardWriter::new(&shards, taps, hidden, PER_SHARD)?;
    let captured = match Data::open(&shards) {
        Ok(data) => data.len(),
        Err(training::Error::NoData { .. }) => 0,
        Err(error) => return Err(error.into()),
    };
    (desk.sink)(LessonEvent::Answering { done: captured, of: prompts.len(), seconds_left: None });
    let (started, elsewhere) = (Instant::now(), desk.elsewhere);
    for (number, prompt) in prompts.iter().enumerate().skip(captured) {
        if number >= written.answers.len() {
            let Some(answer) = answer(lesson, target, number, prompt, desk)? else { return Ok(false) };
            written.push(answer)?;
        }
        let ids = [&prompt[..], &written.answers[number]].concat();
        writer.push(capture(&target.model, taps, &ids, prompt.len() - 1)?)?;
        let spent = started.elapsed().saturating_sub(desk.elsewhere.saturating_sub(elsewhere)).as_secs_f64();
        let made = number + 1 - known.min(number + 1);
        let seconds_left = (made > 0).then(|| spent / count(made) * count(prompts.len() - number - 1));
        (desk.sink)(LessonEvent::Answering { done: number + 1, of: prompts.len(), seconds_left });
        if desk.turn().is_break() {
            return Ok(false);
        }
    }
    writer.finish()?;
    Ok(true)
}

/// Where the shards of a lesson lie.
pub(super) fn shards(folder: &Path) -> PathBuf {
    folder.join("shards")
}

/// The prompts as the target reads them, but for those that are too long, in an order that mixes where they came from.
fn prompts(lesson: &Lesson, target: &Target) -> Result<Vec<Vec<Token>>> {
    if lesson.prompts.is_empty() {
        return Err(Error::NoPrompts);
    }
    let read = |prompt: &Prompt| -> Result<Vec<Token>> {
        Ok(match prompt {
            Prompt::Raw(text) => target.codec.complete(text)?,
            Prompt::Chat(messages) => target.codec.prompt(messages, PromptOptions::default())?.ids,
        })
    };
    let most = LONGEST.min(target.model.config().max_positions.saturating_sub(ANSWER));
    let mut prompts = lesson.prompts.iter().map(read).collect::<Result<Vec<_>>>()?;
    let vocabulary = usize::try_from(target.model.size()).unwrap_or(0);
    if let Some(&id) = prompts.iter().flatten().find(|&&id| id as usize >= vocabulary) {
        return Err(Error::Vocabulary { id, vocabulary });
    }
    prompts.retain(|prompt| (1..=most).contains(&prompt.len()));
    if prompts.is_empty() {
        return Err(Error::LongPrompts { most });
    }
    let mut random = Random::new(lesson.seed, 0);
    for end in (1..prompts.len()).rev() {
        prompts.swap(end, random.below(end + 1));
    }
    Ok(prompts)
}

/// What the target says to a prompt; nothing if the lesson is to pause.
fn answer(
    lesson: &Lesson,
    target: &Target,
    number: usize,
    prompt: &[Token],
    desk: &mut Desk<'_>,
) -> Result<Option<Vec<Token>>> {
    let codec = &target.codec;
    let temperature = TEMPERATURES[number % TEMPERATURES.len()];
    let sampling = Sampling { temperature, seed: lesson.seed.wrapping_add(number as u64), ..Sampling::default() };
    let sampler = Sampler::new(sampling).suppressing(codec.suppressed_ids(), target.model.size());
    let limits = Limits { stop: codec.stop_ids().clone(), pad: codec.pad_id(), max_tokens: ANSWER };
    let mut paused = false;
    let said = regenerate(&target.model, prompt, sampler, limits, &mut |_| {
        let flow = desk.turn();
        paused = flow.is_break();
        flow
    })?;
    Ok((!paused).then_some(said))
}

/// The answers so far, a line of ids each. A line that a kill cut short has no end, and is made again.
struct Written {
    path: PathBuf,
    file: File,
    answers: Vec<Vec<Token>>,
}

impl Written {
    fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("answers.txt");
        let failed = |source| training::Error::File { path: path.clone(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
        let text = fs::read_to_string(&path).map_err(failed)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        file.set_len(whole.len() as u64).map_err(failed)?;
        let ids = |line: &str| line.split_whitespace().map(str::parse).collect::<Result<Vec<Token>, _>>();
        let answers = whole.lines().map(ids).collect::<Result<_, _>>().map_err(|_| training::Error::Damaged {
            path: path.clone(),
            reason: "it does not hold the ids of answers".into(),
            advice: "start the training again",
        })?;
        Ok(Self { path, file, answers })
    }

    fn push(&mut self, answer: Vec<Token>) -> Result<()> {
        let line = answer.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ") + "\n";
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|source| training::Error::File { path: self.path.clone(), source })?;
        self.answers.push(answer);
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "answers are counted in thousands")]
fn count(number: usize) -> f64 {
    number as f64
}
