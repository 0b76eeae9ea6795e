//! Benchmarks: every way of drafting behind every length, of answers that no end token cuts short.

use std::process::Command;

use app::{App, Benchmark, BenchmarkOrder, Message, Precision, Prompt, Request, Role, Sampling};
use engine::{Controls, Engine, Finish};
use tests::{Outcome, asking, program::program, tiny};

fn order(drafters: &[&str], gammas: &[usize]) -> BenchmarkOrder {
    BenchmarkOrder {
        target: tiny::TARGET.into(),
        drafters: drafters.iter().map(|&id| id.into()).collect(),
        precision: Precision::Float32,
        sampling: Sampling { temperature: 0.0, ..Sampling::default() },
        contexts: vec![9, 30],
        gammas: gammas.to_vec(),
        tokens: 7,
        repeats: 2,
    }
}

#[tokio::test]
async fn every_way_is_timed_as_often_behind_every_length_and_says_on_what() -> Outcome {
    let (models, home) = (tiny::models().await?, tempfile::tempdir()?);
    tiny::register(home.path(), models.path(), 8).await?;
    let app = App::open(home.path()).await?;
    let mut heard = Vec::new();
    let benchmark = app.benchmark(&order(&[tiny::DRAFTER], &[1, 2]), |done, total| heard.push((done, total))).await?;
    let Benchmark { conditions, rows, ids, load_s, first_token_s, .. } = &benchmark;

    // Two lengths, three ways, two repeats and one to warm up.
    assert_eq!(heard, (0..18).map(|done| (done, 18)).collect::<Vec<_>>());
    let ways = rows.iter().map(|row| (row.context, row.drafter.as_deref(), row.gamma)).collect::<Vec<_>>();
    let drafter = Some(tiny::DRAFTER);
    assert_eq!(
        ways,
        [9, 30].map(|context| [(context, None, 0), (context, drafter, 1), (context, drafter, 2)]).concat()
    );
    assert!(conditions.target.len() == 64 && conditions.drafters.iter().flatten().count() == 1);
    assert!(ids.len() > 100 && 0.0 < *load_s && load_s < first_token_s);
    for row in rows {
        assert!(row.begins.len() == 2 && row.begins[0] != row.begins[1], "{row:?}");
        assert!(
            row.prefill_tokens_per_s.is_some_and(|read| read.median > 0.0) && row.peak_memory_bytes.len() == 2,
            "{row:?}"
        );
        assert!(row.peak_memory_bytes.iter().all(|&peak| peak > 0), "{row:?}");
        assert!(row.host_s.median > 0.0 && row.host_s.median < row.round_s.median, "{row:?}");
        assert!(row.waits.median >= 1.0 && row.tokens_per_round.median >= 1.0, "{row:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_length_that_a_drafter_does_not_know_is_refused_in_a_sentence() -> Outcome {
    let (models, home) = (tiny::models().await?, tempfile::tempdir()?);
    tiny::register(home.path(), models.path(), 8).await?;
    let app = App::open(home.path()).await?;
    let refused = app.benchmark(&order(&[tiny::DRAFTER], &[99]), |_, _| ()).await.err().ok_or("it was timed")?;
    assert!(refused.to_string().contains("tokens, not 99"), "{refused}");
    Ok(())
}

#[test]
fn an_endless_answer_is_as_long_as_it_may_be() -> Outcome {
    let folder = tempfile::tempdir()?;
    for (name, bytes) in demo::MODELS[0].files {
        std::fs::write(folder.path().join(name), bytes)?;
    }
    let prompt = Prompt::Chat(vec![Message::new(Role::User, "What is this app, Slipstream?")]);
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let controls = Controls { sampling, max_tokens: 160, ..Controls::default() };
    let ending = Request { controls, ..Request::new(folder.path(), prompt) };
    let engine = Engine::start();
    let [ended, endless] = [false, true].map(|endless| asking::answer(&engine, Request { endless, ..ending.clone() }));
    let (ended, endless) = (ended?, endless?);
    assert!(ended.finish == Finish::Eos && ended.ids.len() < 160, "{}", ended.ids.len());
    assert_eq!((endless.finish, endless.ids.len()), (Finish::Length, 160));
    assert_eq!(endless.ids[..ended.ids.len()], ended.ids);
    Ok(())
}

#[tokio::test]
async fn a_terminal_prints_a_table_lines_of_values_or_json() -> Outcome {
    let (models, home) = (tiny::models().await?, tempfile::tempdir()?);
    tiny::register(home.path(), models.path(), 8).await?;
    let said = |form: &[&str]| -> Outcome<String> {
        let mut command = Command::new(program("slipstream")?);
        command.env("SLIPSTREAM_KEYCHAIN", "off").arg("--home").arg(home.path()).args(["bench", tiny::TARGET]);
        command.args([tiny::DRAFTER, "--context", "9,12", "--tokens", "5", "--repeats", "1"]).args(form);
        let output = command.output()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    };
    assert!(said(&[])?.contains("write tokens/s"));
    let values = said(&["--csv"])?;
    let lines = values.lines().map(|line| line.split(',').count()).collect::<Vec<_>>();
    assert!(lines.len() == 5 && lines.iter().all(|&count| count == lines[0]), "{values}");
    let json = serde_json::from_str::<serde_json::Value>(&said(&["--json"])?)?;
    assert_eq!((json["rows"].as_array().map(Vec::len), &json["rows"][3]["context"]), (Some(4), &12.into()));
    Ok(())
}
