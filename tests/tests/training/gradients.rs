//! Gradients through whole drafters against differences.

use std::rc::Rc;

use drafters::{Texts, Trainable};
use mlx_rs::{Array, error::Exception, ops, random, transforms::value_and_grad_with_argnums};
use nn::Vocabulary;
use tests::{Outcome, random::Random};
use training::{Loss, position_weights};

use super::lesson::{GAMMA, KINDS, Kind, TAPS, fresh, target};

/// Two blocks of one sequence, and what the target says of them.
pub(crate) struct Lesson {
    vocabulary: Rc<dyn Vocabulary>,
    texts: Texts,
    labels: Array,
    target: Array,
}

impl Lesson {
    pub(crate) fn new() -> Outcome<Self> {
        let model = target()?;
        let (width, vocabulary) = (model.hidden_size() * i32::try_from(TAPS.len())?, model.size());
        let gamma = i32::try_from(GAMMA)?;
        let mut draw = Random::new(3);
        let mut token = || u32::try_from(draw.below(40)).unwrap_or_default();
        Ok(Self {
            texts: Texts {
                taps: random::normal::<f32>(&[1, 11, width], 0.0, 1.0, &random::key(1)?)?,
                anchors: vec![6, 11],
                most: 9,
                tokens: (0..2).map(|_| (0..GAMMA).map(|_| token()).collect()).collect(),
            },
            labels: Array::from_iter((0..2 * GAMMA).map(|_| token()), &[2, gamma]),
            target: ops::softmax_axis(
                random::normal::<f32>(&[2, gamma, vocabulary], 0.0, 2.0, &random::key(2)?)?,
                -1,
                true,
            )?,
            vocabulary: model,
        })
    }

    fn loss(&self, drafter: &Trainable) -> nn::Result<Array> {
        let told = drafter.drafter().told(&self.texts, &*self.vocabulary)?;
        let weights = position_weights(GAMMA, 3.0);
        // What a confidence should be follows from the logits, but no gradient flows that way: it counts by itself here.
        let loss = Loss { confidence: 0.0, ..Loss::default() };
        let total = loss.of(&told.logits, None, &self.target, &self.labels, &weights)?.total;
        match told.confidences {
            Some(confidences) => Ok(total.add(confidences.multiply(&weights)?.sum(None)?)?),
            None => Ok(total),
        }
    }
}

/// The same drafter with every number moved, so that no part of it rests at zero.
pub(crate) fn shaken(drafter: &Trainable) -> Outcome<Trainable> {
    let shake = |((name, array), key): (&(String, Array), u64)| -> Outcome<(String, Array)> {
        let noise = random::normal::<f32>(array.shape(), 0.0, 0.1, &random::key(key)?)?;
        Ok((name.clone(), array.add(noise)?))
    };
    Ok(drafter.with(drafter.parameters().iter().zip(40..).map(shake).collect::<Outcome<_>>()?))
}

fn check(kind: Kind) -> Outcome {
    let lesson = Lesson::new()?;
    let drafter = shaken(&fresh(&*target()?, kind, 2)?)?;
    let (names, parameters) = drafter.parameters().iter().cloned().unzip::<_, _, Vec<_>, Vec<_>>();
    let loss = |parameters: &[Array]| -> Result<Vec<Array>, Exception> {
        let given = names.iter().cloned().zip(parameters.iter().cloned()).collect();
        Ok(vec![lesson.loss(&drafter.with(given)).map_err(|error| Exception::custom(error.to_string()))?])
    };
    let all = (0..i32::try_from(parameters.len())?).collect::<Vec<_>>();
    let (_, gradients) = value_and_grad_with_argnums(loss, &all[..])(&parameters)?;
    for (number, gradient) in gradients.iter().enumerate() {
        // Along its own gradient a parameter's slope is the gradient's length.
        let length = ops::sqrt(ops::square(gradient)?.sum(None)?)?.item_exact::<f32>();
        if names[number] == "markov.w2" && kind == Kind::Elman {
            assert!(length < 1e-9, "{kind:?}: {} is not used, and has a gradient", names[number]);
            continue;
        }
        assert!(length > 1e-6, "{kind:?}: {} has no gradient", names[number]);
        let moved = |by: f32| -> Outcome<f64> {
            let mut parameters = parameters.clone();
            parameters[number] = parameters[number].add(gradient.multiply(Array::from_f32(by / length))?)?;
            Ok(f64::from(loss(&parameters)?[0].item_exact::<f32>()))
        };
        let step = 4e-3;
        let slope = (moved(step)? - moved(-step)?) / (2.0 * f64::from(step));
        let wanted = f64::from(length);
        assert!(
            (slope - wanted).abs() < 0.03 * wanted + 2e-4,
            "{kind:?}: {} rises by {slope}, not {wanted}",
            names[number]
        );
    }
    Ok(())
}

#[test]
fn gradients_agree_with_differences_in_every_parameter_of_every_kind() -> Outcome {
    KINDS.into_iter().try_for_each(check)
}
