//! Going back: whatever was read, kept, dropped, remembered and undone, the caches are those of one plain reading.

use std::rc::Rc;

use ::gemma4::{Conversation, LayerKind, Model};
use decode::{Target, Token, Verdict};
use mlx_rs::{Array, Dtype, memory, ops};
use nn::{Cache, Draft, Sampler, Sampling, Vocabulary};
use serde_json::json;
use tests::{Outcome, copy::Copy, fixtures, random::Random, tensors::check_close};

const TOLERANCE: f32 = 2e-4;

#[test]
fn caches_after_any_reading_and_going_back_are_those_of_one_plain_reading() -> Outcome {
    let mut counts = Counts::default();
    for target in fixtures::originals("gemma4")? {
        for (window, seed) in [1, 2, 3, 5, 8, 13, 21, 300].into_iter().zip(0..) {
            let copy = Copy::at(&target)?;
            copy.configure("sliding_window", &json!(window))?;
            let model = Rc::new(Model::load(copy.path(), Some(Dtype::Float32))?);
            let mut trial = Trial::new(&model, seed);
            for _ in 0..40 {
                trial.step(&mut counts)?;
            }
            trial.check(&format!("{}, window {window}", target.display()))?;
        }
    }
    println!("{counts:?}");
    assert!(counts.cut > 40 && counts.restored > 20 && counts.emptied > 5 && counts.refused > 50);
    Ok(())
}

#[test]
fn caches_whose_buffers_have_moved_go_back_too() -> Outcome {
    for target in fixtures::originals("gemma4")? {
        println!("{}", target.display());
        let model = Rc::new(Model::load(&target, Some(Dtype::Float32))?);
        let mut trial = Trial::new(&model, 7);
        // Past the first allotment of rows, with the remembered place before its end.
        trial.read(490)?;
        trial.conversation.caches_mut().remember()?;
        trial.read(120)?;
        trial.go_back(490)?;
        trial.check("past the first allotment")?;
        trial.read(300)?;
        trial.go_back(490)?;
        trial.check("remembered twice")?;
    }
    Ok(())
}

/// How often each way of going back was taken.
#[derive(Debug, Default)]
struct Counts {
    cut: usize,
    restored: usize,
    emptied: usize,
    refused: usize,
}

/// A conversation in which anything happens, and the tokens that it holds.
struct Trial {
    conversation: Conversation,
    model: Rc<Model>,
    held: Vec<Token>,
    random: Random,
}

impl Trial {
    fn new(model: &Rc<Model>, seed: u32) -> Self {
        let conversation = Conversation::new(Rc::clone(model));
        Self { conversation, model: Rc::clone(model), held: Vec::new(), random: Random::new(seed) }
    }

    fn step(&mut self, counts: &mut Counts) -> Outcome {
        match self.random.below(8) {
            0 => self.conversation.caches_mut().remember()?,
            1 | 2 => {
                let rows = 1 + self.random.below(12);
                self.read(rows)?;
            }
            3 => self.try_to_go_back(counts)?,
            _ => self.round()?,
        }
        assert_eq!(self.conversation.caches().position(), self.held.len());
        assert!(self.conversation.caches().floor() <= self.held.len());
        Ok(())
    }

    fn ids(&mut self, count: usize) -> Vec<Token> {
        self.random.ids(count, self.model.size().unsigned_abs() as usize)
    }

    /// A piece of a prompt.
    fn read(&mut self, rows: usize) -> Outcome {
        let ids = self.ids(rows);
        self.conversation.verifier(greedy(), &[]).prefill(&ids)?;
        self.held.extend(ids);
        Ok(())
    }

    /// A block of which a random part is kept. It can be undone as a whole, so the floor stays behind it.
    fn round(&mut self) -> Outcome {
        let drafted = self.random.below(7);
        let ids = self.ids(1 + drafted);
        let tokens = Array::from_slice(&ids[1..], &[i32::try_from(drafted)?]);
        let draft = (drafted > 0).then_some(Draft { tokens, q: None, confidences: None });
        let kept = self.random.below(drafted + 2);
        let before = self.conversation.caches().position();
        let mut target = self.conversation.verifier(greedy(), &[]);
        target.verify(ids[0], draft.as_ref())?;
        target.commit(kept)?;
        self.held.extend(&ids[..kept]);
        assert!(self.conversation.caches().floor() <= before);
        Ok(())
    }

    /// Goes back to the remembered place or anywhere. What cannot be done exactly is refused, and changes nothing.
    fn try_to_go_back(&mut self, counts: &mut Counts) -> Outcome {
        let anywhere = self.random.below(self.held.len() + 3);
        let remembered = self.conversation.caches().remembered();
        let position = remembered.filter(|_| self.random.below(2) == 0).unwrap_or(anywhere);
        let floor = self.conversation.caches().floor();
        let count = match position {
            0 => &mut counts.emptied,
            _ if (floor..=self.held.len()).contains(&position) => &mut counts.cut,
            _ if remembered == Some(position) => &mut counts.restored,
            _ => {
                counts.refused += 1;
                assert!(self.conversation.caches_mut().rewind(position).is_err(), "{position} is behind {floor}");
                assert_eq!(self.conversation.caches().remembered(), remembered);
                return Ok(());
            }
        };
        *count += 1;
        self.go_back(position)
    }

    fn go_back(&mut self, position: usize) -> Outcome {
        self.conversation.caches_mut().rewind(position)?;
        self.held.truncate(position);
        Ok(())
    }

    /// Every row that anything may still look at, and what the target says next.
    fn check(&mut self, what: &str) -> Outcome {
        self.read(1)?;
        let mut plain = Conversation::new(Rc::clone(&self.model));
        plain.verifier(greedy(), &[]).prefill(&self.held)?;
        let config = self.model.config();
        for (layer, (found, wanted)) in
            self.conversation.caches().layers().iter().zip(plain.caches().layers()).enumerate()
        {
            let visible = match config.layers[layer] {
                LayerKind::Full => self.held.len(),
                LayerKind::Sliding => self.held.len().min(config.window - 1),
            };
            if visible == 0 {
                continue; // a window of one row sees nothing before it
            }
            let (Some(found), Some(wanted)) = (found.newest(visible)?, wanted.newest(visible)?) else {
                return Err(format!("{what}: layer {layer} holds nothing").into());
            };
            check_close(&format!("{what}: keys of layer {layer}"), &found.0, &wanted.0, TOLERANCE)?;
            check_close(&format!("{what}: values of layer {layer}"), &found.1, &wanted.1, TOLERANCE)?;
        }
        assert_eq!(next(&mut self.conversation)?, next(&mut plain)?, "{what}");
        Ok(())
    }
}

/// What the target says behind the token 5.
fn next(conversation: &mut Conversation) -> Outcome<Verdict> {
    let mut target = conversation.verifier(greedy(), &[]);
    let verdict = target.verify(5, None)?.verdict;
    target.commit(0)?;
    Ok(verdict)
}

fn greedy() -> Sampler {
    Sampler::new(Sampling { temperature: 0.0, ..Sampling::default() })
}

#[test]
fn what_is_remembered_keeps_its_own_rows_alive_and_not_the_buffer_that_they_were_in() -> Outcome {
    const ROWS: i32 = 200_000; // 100 MB, beside which the other tests are nothing
    let before = memory::active_memory()?;
    let mut cache = Cache::sliding(8);
    let rows = ops::ones_dtype(&[1, 2, ROWS, 32], Dtype::Float32)?;
    cache.append(&rows, &rows)?;
    cache.commit(usize::try_from(ROWS)?)?;
    cache.remember()?;
    // More than there is room for.
    let more = ops::zeros_dtype(&[1, 2, ROWS / 20, 32], Dtype::Float32)?;
    cache.append(&more, &more)?;
    cache.commit(usize::try_from(ROWS / 20)?)?;
    nn::wait(cache.arrays())?;
    drop((rows, more));
    cache.rewind(usize::try_from(ROWS)?)?;
    let (keys, values) = cache.newest(usize::MAX)?.ok_or("it holds nothing")?;
    nn::wait([&keys, &values])?;
    for rows in [keys, values] {
        assert_eq!(rows.shape(), [1, 2, 7, 32]);
        check_close("what is remembered", &rows, &ops::ones_like(&rows)?, 0.0)?;
    }
    let kept = memory::active_memory()?.saturating_sub(before);
    assert!(kept < 50_000_000, "{kept} bytes are kept");
    Ok(())
}

#[test]
fn memory_that_a_long_text_took_is_given_back_when_a_short_one_is_gone_back_to() -> Outcome {
    for mut cache in [Cache::full(), Cache::sliding(4000)] {
        let rows = ops::arange::<_, f32>(None, 3000, None)?.reshape(&[1, 1, 3000, 1])?;
        cache.append(&rows, &rows.negative()?)?;
        cache.commit(3000)?;
        cache.remember()?;
        cache.rewind(2900)?;
        let room = |cache: &Cache| cache.arrays().map(|array| array.dim(2)).collect::<Vec<_>>();
        assert!(room(&cache).iter().all(|&room| room >= 3000), "most of it is still in use");
        cache.rewind(3)?;
        assert_eq!(room(&cache), [256, 256]);
        let (keys, values) = cache.newest(9)?.ok_or("it holds nothing")?;
        check_close("keys", &keys, &Array::from_slice(&[0.0_f32, 1.0, 2.0], &[1, 1, 3, 1]), 0.0)?;
        check_close("values", &values, &keys.negative()?, 0.0)?;
    }
    Ok(())
}
