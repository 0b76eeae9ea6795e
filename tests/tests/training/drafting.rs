//! What was trained drafts, from its files, as in training.

use decode::{Draft as _, Drafter as _};
use drafters::{Drafter, Texts};
use mlx_rs::{Array, Dtype, ops, ops::indexing::TryIndexOp};
use nn::{Sampler, Sampling};
use tests::{
    Outcome,
    tensors::{check_close, floats},
};

use super::{
    gradients::shaken,
    lesson::{GAMMA, KINDS, Kind, TAPS, fresh, target},
};

const ROWS: usize = 9;
const ANCHOR: u32 = 17;

/// A greedy draft of a drafter's own, and what it says of these very tokens once they are known.
fn check(kind: Kind) -> Outcome {
    let model = target()?;
    let folder = tempfile::tempdir()?;
    let trained = shaken(&fresh(&model, kind, 2)?)?;
    trained.save(folder.path())?;
    let Drafter::Block(opened) = drafters::open(folder.path(), Dtype::Bfloat16)? else {
        return Err("it is no block drafter".into());
    };
    assert_eq!(*opened.facts(), trained.facts());
    let width = i32::try_from(TAPS.len())? * trained.facts().hidden_size;
    let taps = mlx_rs::random::normal::<f32>(&[1, i32::try_from(ROWS)?, width], 0.0, 1.0, &mlx_rs::random::key(8)?)?;
    let two = &[1, 2 * i32::try_from(ROWS)?, width];
    let other = mlx_rs::random::normal::<f32>(two, 0.0, 1.0, &mlx_rs::random::key(9)?)?;

    let sampler = Sampler::new(Sampling { temperature: 0.0, ..Sampling::default() });
    let mut context = opened.context(model.clone());
    context.read(&taps)?;
    let draft = context.proposer(sampler).propose(ANCHOR, ROWS, GAMMA)?;
    let tokens = draft.tokens.as_slice::<u32>().to_vec();
    let known = [&[ANCHOR], &tokens[..GAMMA - 1]].concat();

    // Beside another text, whose block has another anchor, and with rows behind its own that it must not see.
    let texts = Texts {
        taps: ops::concatenate(&[&ops::concatenate(&[&taps, &taps], 1)?, &other], 0)?,
        anchors: vec![ROWS, 4],
        most: 512,
        tokens: vec![known.clone(), known],
    };
    let told = trained.drafter().told(&texts, &*model)?;
    check_close("the logits from the files", &opened.told(&texts, &*model)?.logits, &told.logits, 1e-4)?;
    let of_first = |array: &Array| array.try_index((..1, ..));
    let best = mlx_rs::ops::indexing::argmax_axis(&of_first(&told.logits)?, -1, false)?;
    assert_eq!(best.as_slice::<u32>(), tokens, "{kind:?}");
    let confidences = draft.confidences()?;
    match told.confidences {
        Some(logits) => assert!(
            floats(&ops::sigmoid(of_first(&logits)?)?)?
                .iter()
                .zip(confidences.unwrap_or_default())
                .all(|(a, b)| (a - b).abs() < 1e-5)
        ),
        None => assert!(confidences.is_none()),
    }
    Ok(())
}

#[test]
fn a_written_drafter_of_each_kind_opens_and_drafts_as_in_training() -> Outcome {
    KINDS.into_iter().try_for_each(check)
}
