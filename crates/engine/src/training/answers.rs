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
use serde::{Deserialize, Serialize};
use training::{Data, Random, ShardWriter, capture, captured, regenerate};

use super::{Desk, Lesson, LessonEvent, held_out, terms::Terms};
use crate::{Error, Prompt, Result, models::Target};

/// How the target is asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Asking {
    /// The fewest prompts.
    fewest: usize,
    /// The most tokens of a prompt.
    pub(super) longest: usize,
    /// The most tokens of an answer.
    pub(super) answer: usize,
    /// Answers of a shard, unless they are long.
    per_shard: usize,
    /// The temperatures of the answers, in turns.
    temperatures: [f32; 3],
}

impl Asking {
    /// How it is asked in a lesson that begins: most people ask at one of these temperatures or the other.
    pub(super) const NOW: Self =
        Self { fewest: 10, longest: 2048, answer: 192, per_shard: 64, temperatures: [0.0, 0.0, 0.7] };

    /// Refuses too few prompts.
    pub(super) fn enough(self, found: usize) -> Result<()> {
        let Self { fewest, longest, .. } = self;
        if found < fewest { Err(Error::FewPrompts { fewest, longest, found }) } else { Ok(()) }
    }
}

/// Captures what the target says to the prompts, as far as that is not done, and returns which part of it, the last one, is
/// held out; `None` if somebody wants the lesson to pause.
pub(super) fn listen(lesson: &Lesson, terms: &Terms, target: &Target, desk: &mut Desk<'_>) -> Result<Option<f32>> {
    let (shards, (prompts, held_out)) = (shards(&lesson.folder), prompts(lesson, terms.asking, target)?);
    let taps = &captured(terms.blueprint.taps(), target.model.config().layers.len());
    let mut written = Written::open(&lesson.folder)?;
    let known = written.answers.len();
    let hidden = usize::try_from(target.model.hidden_size()).unwrap_or(0);
    let mut writer = ShardWriter::new(&shards, taps, hidden, terms.asking.per_shard)?;
    let done = match Data::open(&shards) {
        Ok(data) => data.len(),
        Err(training::Error::NoData { .. }) => 0,
        Err(error) => return Err(error.into()),
    };
    (desk.sink)(LessonEvent::Answering { done, of: prompts.len(), seconds_left: None });
    let (started, elsewhere) = (Instant::now(), desk.elsewhere);
    for (number, prompt) in prompts.iter().enumerate().skip(done) {
        if number >= written.answers.len() {
            let Some(answer) = answer(lesson, terms.asking, target, number, prompt, desk)? else { return Ok(None) };
            written.push(answer)?;
        }
        let ids = [&prompt[..], &written.answers[number]].concat();
        writer.push(capture(&target.model, taps, &ids, prompt.len() - 1)?)?;
        let spent = started.elapsed().saturating_sub(desk.elsewhere.saturating_sub(elsewhere)).as_secs_f64();
        let made = number + 1 - known.min(number + 1);
        let seconds_left = (made > 0).then(|| spent / count(made) * count(prompts.len() - number - 1));
        (desk.sink)(LessonEvent::Answering { done: number + 1, of: prompts.len(), seconds_left });
        if desk.turn().is_break() {
            return Ok(None);
        }
    }
    writer.finish()?;
    Ok(Some(held_out))
}

/// Where the shards of a lesson lie.
pub(super) fn shards(folder: &Path) -> PathBuf {
    folder.join("shards")
}

/// The prompts as the target reads them, but for those that are too long, in an order that mixes where they came from; and
/// which part of them, the last one, is held out.
fn prompts(lesson: &Lesson, asking: Asking, target: &Target) -> Result<(Vec<Vec<Token>>, f32)> {
    let read = |prompt: &Prompt| -> Result<Vec<Token>> {
        Ok(match prompt {
            Prompt::Raw(text) => target.codec.complete(text)?,
            Prompt::Chat(messages) => target.codec.prompt(messages, PromptOptions::default())?.ids,
        })
    };
    let most = asking.longest.min(target.model.config().max_positions.saturating_sub(asking.answer));
    let read = |prompt| Ok((prompt, read(prompt)?));
    let mut prompts = lesson.prompts.iter().map(read).collect::<Result<Vec<_>>>()?;
    let vocabulary = usize::try_from(target.model.size()).unwrap_or(0);
    if let Some(&id) = prompts.iter().flat_map(|(_, ids)| ids).find(|&&id| id as usize >= vocabulary) {
        return Err(Error::Vocabulary { id, vocabulary });
    }
    prompts.retain(|(_, ids)| (1..=most).contains(&ids.len()));
    asking.enough(prompts.len())?;
    let mut random = Random::new(lesson.seed, 0);
    for end in (1..prompts.len()).rev() {
        prompts.swap(end, random.below(end + 1));
    }
    let (prompts, held) = held_out::last(prompts, |(prompt, _)| prompt)?;
    #[expect(clippy::cast_possible_truncation, reason = "a part")]
    let part = (count(held) / count(prompts.len())) as f32;
    Ok((prompts.into_iter().map(|(_, ids)| ids).collect(), part))
}

/// What the target says to a prompt; nothing if the lesson is to pause.
fn answer(
    lesson: &Lesson,
    asking: Asking,
    target: &Target,
    number: usize,
    prompt: &[Token],
    desk: &mut Desk<'_>,
) -> Result<Option<Vec<Token>>> {
    let codec = &target.codec;
    let temperature = asking.temperatures[number % asking.temperatures.len()];
    let sampling = Sampling { temperature, seed: lesson.seed.wrapping_add(number as u64), ..Sampling::default() };
    let sampler = Sampler::new(sampling).suppressing(codec.suppressed_ids(), target.model.size());
    let limits = Limits { stop: codec.stop_ids().clone(), pad: codec.pad_id(), max_tokens: asking.answer };
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
