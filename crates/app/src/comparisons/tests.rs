#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use engine::{Answer, Candidate, Divergence, Precision, Stats};
use store::{ComparisonAnswer, ComparisonPrompt};

use super::*;
use crate::answering::testing::answer;
use crate::{LOOKUP, Likeness, testing};

/// Prompts of these suites, and what plain decoding and two drafters answered to each: these ids, in these seconds.
fn evidence(suites: &[&str], answers: &[[(&[u32], f64); 3]]) -> Evidence {
    let prompts = (0..).zip(suites).map(|(number, suite)| {
        let (suite, text) = ((*suite).to_owned(), format!("{number}?"));
        ComparisonPrompt { number, suite, text }
    });
    let kept = (0..).zip(answers).flat_map(|(prompt, columns)| {
        (0..).zip(columns).map(move |(place, &(ids, decode_s))| {
            let tokens = ids.len();
            let stats = Stats { tokens, rounds: tokens, decode_s, ..Stats::default() };
            let record = serde_json::to_string(&Answer { ids: ids.to_vec(), stats, ..answer("…") }).unwrap();
            let divergence = (ids == [1, 9]).then(|| serde_json::to_string(&divergence()).unwrap());
            ComparisonAnswer { prompt, place, record, divergence }
        })
    });
    let titles = ["Plain", "one", "other"].map(String::from);
    Evidence::new(titles.into(), prompts.collect(), &kept.collect::<Vec<_>>())
}

/// At the second token, by a quarter.
fn divergence() -> Divergence {
    let stored = Candidate { id: 9, text: "a".into(), logit: 2.0 };
    let plain = Candidate { id: 2, text: "b".into(), logit: 2.25 };
    Divergence { position: 1, stored, plain, margin: Some(0.25), step: 0.125 }
}

fn order() -> ComparisonOrder {
    ComparisonOrder {
        target: "t".into(),
        contenders: vec![Contender::auto("d"), Contender::auto(LOOKUP)],
        precision: Precision::Float32,
        thinking: false,
        temperature: 0.0,
        seed: 0,
        prompt: Some(" Why? ".into()),
        suites: vec![],
        prompts: ComparisonOrder::PROMPTS,
        tokens: ComparisonOrder::TOKENS,
    }
}

fn report(evidence: Evidence) -> ComparisonReport {
    let [machine, release, target] = ["m", "1", "hash"].map(String::from);
    evidence.report(order(), Conditions { machine, release, target, drafters: vec![Some("other hash".into()), None] })
}

#[test]
fn columns_that_wrote_the_same_are_identical_and_the_first_that_did_not_is_told_with_its_margin() {
    let same = report(evidence(&["Chat"], &[[(&[1, 2], 1.0), (&[1, 2], 1.0), (&[1, 2], 1.0)]]));
    assert_eq!(same.verdict, "Identical: every column wrote the same tokens as plain decoding.");
    let likeness = same.prompts[0].answers.iter().map(|answer| answer.likeness).collect::<Vec<_>>();
    let alike = Some(Likeness::Same { tokens: 2 });
    assert_eq!(likeness, [None, alike, alike]);

    let columns: [(&[u32], f64); 3] = [(&[1, 2], 1.0), (&[1, 2], 1.0), (&[1, 9], 1.0)];
    let other = report(evidence(&["Chat", "Chat"], &[[columns[0]; 3], columns]));
    assert!(other.verdict.starts_with("1 of 4 answers differ"), "{}", other.verdict);
    let told = format!("The first is that of other to prompt 2: {}.", divergence());
    assert!(other.verdict.ends_with(&told), "{}", other.verdict);
    let differing = &other.prompts[1].answers[2];
    assert_eq!((differing.differs(), differing.divergence.as_ref()), (true, Some(&divergence())));
}

#[test]
fn each_suite_is_a_workload_with_its_own_winner() {
    let answered = |plain, one, other| [plain, one, other].map(|seconds| (&[1_u32, 2, 3][..], seconds));
    // In code the other is twice as fast, in chat nobody is for sure.
    let code = answered(1.0, 0.9, 0.5);
    let chat = [answered(1.0, 0.5, 0.9), answered(1.0, 0.9, 0.5), answered(1.0, 1.1, 1.1)];
    let suites = ["Code", "Code", "Code", "Chat", "Chat", "Chat"];
    let report = report(evidence(&suites, &[&[code; 3][..], &chat].concat()));
    let winners = report.workloads.iter().map(|workload| (workload.title.as_str(), workload.winner));
    assert_eq!(winners.collect::<Vec<_>>(), [("All prompts", None), ("Code", Some(2)), ("Chat", None)]);
    assert_eq!(report.workloads[1].sentence, "other is the fastest: 2.00 × plain (2.00 to 2.00).");
    assert!(report.workloads[2].sentence.starts_with("No clear winner"), "{}", report.workloads[2].sentence);

    let card = exporting::card(&report);
    for said in ["| **other** |", "## Code, 3 prompts", "- Machine: m", "- Drafter: d, other hash", "energy"] {
        assert!(card.contains(said), "{said} is not in {card}");
    }
}

#[test]
fn one_prompt_has_no_winner_and_an_interrupted_one_shows_what_was_measured() {
    let one = report(evidence(&["Your prompt"], &[[(&[1], 1.0), (&[1], 0.5), (&[1], 0.4)]]));
    assert_eq!(one.workloads[0].winner, None);
    assert!(one.workloads[0].sentence.contains("too few prompts to be sure"), "{}", one.workloads[0].sentence);

    let titles = ["Plain", "one", "other"].map(String::from);
    let answers = ComparisonAnswer {
        prompt: 0,
        place: 1,
        record: serde_json::to_string(&Answer {
            stats: Stats { tokens: 1, rounds: 1, decode_s: 1.0, ..Stats::default() },
            ..answer("…")
        })
        .unwrap(),
        divergence: None,
    };
    let prompt = ComparisonPrompt { number: 0, suite: "Chat".into(), text: "Why?".into() };
    let cut = report(Evidence::new(titles.into(), vec![prompt], &[answers]));
    assert_eq!(cut.verdict, "Nothing was compared yet.");
    let measured = &cut.workloads[0].columns[..];
    assert!(matches!(measured, [MeasuredColumn { column: 1, times_plain: None, prompts: 1, .. }]), "{measured:?}");
}

#[tokio::test]
async fn an_order_that_cannot_be_met_is_refused_in_a_sentence() {
    let home = tempfile::tempdir().unwrap();
    let app = testing::app(home.path()).await;
    let fixed = |gamma| Contender { mode: engine::Mode::Fixed { gamma }, ..Contender::auto(LOOKUP) };
    for (order, said) in [
        (ComparisonOrder { contenders: vec![Contender::auto("d")], ..order() }, "two to four drafters"),
        (ComparisonOrder { contenders: vec![Contender::auto("D"); 2], ..order() }, "chosen twice"),
        (ComparisonOrder { contenders: vec![fixed(0), fixed(1)], ..order() }, "plain decoding is compared anyway"),
        (ComparisonOrder { contenders: vec![fixed(99), fixed(1)], ..order() }, "tokens at most, not 99"),
        (ComparisonOrder { target: "d".into(), ..order() }, "it is a drafter"),
        (ComparisonOrder { prompt: Some(" ".into()), ..order() }, "nothing is asked"),
        (ComparisonOrder { prompt: None, ..order() }, "nothing is asked"),
        (ComparisonOrder { prompt: None, suites: vec!["poems".into()], ..order() }, "no suite “poems”"),
    ] {
        let refused = app.start_comparison(order).await.unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
    assert!(app.comparisons().await.unwrap().is_empty());
    assert_eq!(order().prompts().unwrap().1, "“Why?”");
}
