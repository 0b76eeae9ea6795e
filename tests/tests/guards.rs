//! What stops an answer that would only be noise, and what is never said.

use std::{collections::BTreeSet, fs, rc::Rc};

use decode::{Finish, Fixed, Limits, Token};
use engine::{Controls, Engine, Precision, Prompt, Request, Sampling};
use gemma4::Conversation;
use nn::{Rule, Sampler};
use tests::{
    Outcome, asking,
    copy::Copy,
    decoding::{Made, Setup},
    fixtures,
    fluent::{self, PLAIN},
    oracle::Oracle,
};

const TOKENS: usize = 16;

/// Longer than the window of 8, the token 77 in it once.
fn prompt() -> Vec<Token> {
    let around = |i: u32| (i * 29 + 11) % 60 + 3;
    [&[2], &*(0..11).map(around).collect::<Vec<_>>(), &[77], &*(11..19).map(around).collect::<Vec<_>>()].concat()
}

/// Where 77 stands.
const SPOT: usize = 12;

/// A target that answers `prompt` until something that is not finite turns up: `words` say what and where.
fn check_broken(copy: &Copy, prompt: &[Token], words: &[&str]) -> Outcome {
    let setup = Setup::greedy(copy.path(), TOKENS)?;
    let drafter = setup.fresh_drafter(4, false, 1)?;
    let plain = setup.plain(prompt).err().ok_or("it was decoded")?.to_string();
    let with_drafts = setup.drafted(prompt, &drafter, &mut Fixed(4)).err().ok_or("it was drafted")?.to_string();
    assert_eq!(plain, with_drafts);
    for word in [words, &["not finite", "damaged", "float32"]].concat() {
        assert!(plain.contains(word), "{word:?} is not in: {plain}");
    }
    assert!(!plain.contains('\n'));
    Ok(())
}

#[test]
fn a_layer_whose_numbers_are_not_finite_is_named_with_the_position() -> Outcome {
    let copy = Copy::of("gemma4/31b-dense")?;
    copy.plant("layers.2.layer_scalar", 0..1, f32::INFINITY)?;
    check_broken(&copy, &prompt(), &["layer 2 gives", "position 0:"])?;
    // Nothing is read of a prompt of one token, so the first round finds it.
    check_broken(&copy, &[5], &["layer 2 gives", "position 0:"])?;

    let copy = Copy::of("gemma4/12b-unified")?;
    copy.plant("layers.4.self_attn.v_proj.weight", 7..8, f32::NAN)?;
    check_broken(&copy, &prompt(), &["layer 4 gives", "position 0:"])?;

    let copy = Copy::of("gemma4/e-series")?;
    // No layer with keys of its own stands behind it, so plain decoding finds it in the first round only.
    copy.plant("layers.8.mlp.down_proj.weight", 7..8, f32::NAN)?;
    check_broken(&copy, &[5], &["layer 8 gives", "position 0:"])
}

#[test]
fn one_token_that_overflows_one_layer_is_found_wherever_it_stands() -> Outcome {
    let copy = Copy::of("gemma4/31b-dense")?;
    // Finite by itself and up to layer 1: the scale of layer 2 is too much for it alone.
    copy.plant("embed_tokens.weight", 77 * 56..78 * 56, 1e30)?;
    copy.plant("layers.2.layer_scalar", 0..1, 1e10)?;
    check_broken(&copy, &prompt(), &["layer 2 gives", &format!("position {SPOT}:")])?;
    check_broken(&copy, &prompt()[SPOT..], &["layer 2 gives", "position 0:"])?;
    // The last token of the prompt is the anchor of the first round.
    check_broken(&copy, &prompt()[..=SPOT], &["layer 2 gives", &format!("position {SPOT}:")])?;

    let copy = Copy::of("gemma4/31b-dense")?;
    copy.plant("embed_tokens.weight", 77 * 56 + 3..77 * 56 + 4, f32::NAN)?;
    check_broken(&copy, &prompt(), &["the embedding gives", &format!("position {SPOT}:")])
}

#[test]
fn a_drafted_token_that_overflows_costs_the_draft_and_not_the_answer() -> Outcome {
    let copy = Copy::of("gemma4/31b-dense")?;
    copy.plant("embed_tokens.weight", 77 * 56..78 * 56, 1e30)?;
    copy.plant("layers.2.layer_scalar", 0..1, 1e10)?;
    let setup = Setup::greedy(copy.path(), TOKENS)?.suppressing([77]).sampled(hot(Rule::Coupled, 1));
    let prompt = &prompt()[..SPOT];
    let plain = setup.plain(prompt)?.ids;
    let poisoned = plain.iter().enumerate().map(|(at, &id)| if at % 5 == 4 { 77 } else { id });
    let sequence = prompt.iter().copied().chain(poisoned).collect::<Vec<_>>();
    let mut oracle = Oracle { sequence: &sequence, limit: 2, wrong: &|_, _| false, rows: 0 };
    let made = setup.run(prompt, Some(&mut oracle), &[0], &mut Fixed(2))?;
    assert_eq!(made.ids, plain);
    assert!(made.stats.accepted > 0 && made.rounds.iter().any(|(_, waits)| *waits == 2));
    Ok(())
}

#[test]
fn the_final_norm_and_the_head_are_told_apart() -> Outcome {
    let copy = Copy::of("gemma4/31b-dense")?;
    copy.plant("language_model.norm.weight", 0..1, f32::NAN)?;
    check_broken(&copy, &[5], &["the final norm gives", "position 0:"])?;

    // The head is the table, of which the prompt does not read the broken row.
    let copy = Copy::of("gemma4/31b-dense")?;
    copy.plant("embed_tokens.weight", 77 * 56..77 * 56 + 1, f32::NAN)?;
    check_broken(&copy, &[5, 6, 7], &["the head gives", "position 2:"])
}

#[test]
fn an_answer_stops_before_its_first_number_that_is_not_finite_and_the_engine_says_why() -> Outcome {
    let target = fluent::target("gemma4/31b-dense", 256, PLAIN)?;
    target.plant("layers.2.layer_scalar", 0..1, f32::INFINITY)?;
    let sentence = asking::failure(&Engine::start(), request(&target, 5))?;
    assert!(sentence.contains("layer 2") && sentence.contains("position 0"), "{sentence}");
    Ok(())
}

fn request(target: &Copy, max_tokens: usize) -> Request {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    Request {
        precision: Precision::Float32,
        controls: Controls { max_tokens, sampling, ..Controls::default() },
        ..Request::new(target.path().to_owned(), Prompt::Raw("zulu".into()))
    }
}

#[test]
fn a_target_that_writes_only_padding_is_stopped_with_a_note() -> Outcome {
    let target = fluent::target("gemma4/gemma3-text", 256, PLAIN)?;
    target.plant("model.norm.weight", 0..48, -1.0)?; // all logits are 0, and <pad> is the first token
    let answer = asking::answer(&Engine::start(), request(&target, 100))?;
    assert_eq!((answer.finish, answer.ids.as_slice(), answer.text.as_str()), (Finish::Padding, &[0; 8][..], ""));
    assert!(answer.notes.iter().any(|note| note.starts_with("The target writes only <pad>: ")));

    // Where it is a stop token it ends an answer like any other.
    let config = target.path().join("generation_config.json");
    fs::write(config, r#"{ "eos_token_id": [0, 1] }"#)?;
    let answer = asking::answer(&Engine::start(), request(&target, 100))?;
    assert_eq!((answer.finish, answer.ids.len()), (Finish::Eos, 1));
    Ok(())
}

#[test]
fn padding_is_counted_in_a_row_whatever_is_drafted() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), 40)?;
    let plain = setup.plain(&[2])?.ids;
    let run = |ids: &[Token]| ids.windows(8).position(|run| run.iter().all(|id| *id == run[0]));
    let start = run(&plain).ok_or_else(|| format!("no token repeats itself in {plain:?}"))?;
    let padded = setup.limited(Limits { pad: Some(plain[start]), max_tokens: 40, ..Limits::default() });
    for (limit, wrong_from) in [(0, 0), (3, usize::MAX), (6, usize::MAX), (5, start + 4)] {
        let wrong = |_, at: usize| at >= wrong_from;
        let sequence = [&[2], &*plain].concat();
        let mut oracle = Oracle { sequence: &sequence, limit, wrong: &wrong, rows: 0 };
        let made = padded.run(&[2], Some(&mut oracle), &[0], &mut Fixed(limit))?;
        assert_eq!(made.ids, plain[..start + 8]);
        assert_eq!(made.finish, Some(Finish::Padding));
    }
    Ok(())
}

fn hot(rule: Rule, seed: u64) -> Sampling {
    Sampling { temperature: 2.0, top_k: 40, top_p: 0.9, seed, rule, ..Sampling::default() }
}

/// None of `suppressed` was emitted.
fn check_silent(made: &Made, suppressed: &BTreeSet<Token>) {
    assert!(made.ids.iter().all(|id| !suppressed.contains(id)), "{:?} with {suppressed:?}", made.ids);
    assert_eq!(made.ids.len(), TOKENS);
}

#[test]
fn a_suppressed_token_is_never_chosen_and_drafts_still_change_nothing() -> Outcome {
    let greedy = Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)?;
    let drafter = greedy.fresh_drafter(5, false, 3)?;
    for setup in [greedy.clone(), greedy.sampled(hot(Rule::Coupled, 1)), greedy.sampled(hot(Rule::Coupled, 2))] {
        let free = setup.plain(&prompt())?.ids;
        let suppressed = free.iter().copied().collect::<BTreeSet<_>>();
        let setup = setup.suppressing(suppressed.clone());
        let plain = setup.plain(&prompt())?;
        check_silent(&plain, &suppressed);
        assert_eq!(setup.drafted(&prompt(), &drafter, &mut Fixed(5))?.ids, plain.ids);
        // Now half of what is proposed is suppressed, and now all of it.
        for wrong in [&|_, at| at % 2 == 0, &|_, _| false] as [&dyn Fn(usize, usize) -> bool; 2] {
            for answer in [&free, &plain.ids] {
                let sequence = [&*prompt(), answer].concat();
                let mut oracle = Oracle { sequence: &sequence, limit: 4, wrong, rows: 0 };
                assert_eq!(setup.run(&prompt(), Some(&mut oracle), &[0], &mut Fixed(4))?.ids, plain.ids);
            }
        }
    }
    Ok(())
}

#[test]
fn the_ratio_rule_refuses_a_suppressed_token_that_is_proposed() -> Outcome {
    let free = Setup::greedy(&fixtures::path("gemma4/31b-dense"), TOKENS)?;
    let drafter = free.fresh_drafter(5, false, 3)?;
    let mut refused = 0;
    for seed in 0..12 {
        let free = free.sampled(hot(Rule::Ratio, seed));
        // Every third token, so that the drafter, which knows of nothing, proposes many of them.
        let suppressed = (0..256).step_by(3).collect::<BTreeSet<_>>();
        let setup = free.suppressing(suppressed.clone());
        check_silent(&setup.drafted(&prompt(), &drafter, &mut Fixed(5))?, &suppressed);

        let donors = Conversation::new(Rc::clone(&setup.model)).donors();
        let mut context = drafter.context(setup.model.clone(), donors)?;
        let mut unaware = context.proposer(Sampler::new(setup.sampling));
        let made = setup.run(&prompt(), Some(&mut unaware), &drafter.facts().taps, &mut Fixed(5))?;
        check_silent(&made, &suppressed);
        let rejected = made.rounds.iter().flat_map(|(round, _)| &round.rejected);
        refused += rejected.filter(|id| suppressed.contains(id)).count();
    }
    assert!(refused > 50, "only {refused} suppressed tokens were proposed");
    Ok(())
}
