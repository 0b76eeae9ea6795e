//! The models that come with the app are whole, small, and worth their bytes.

use mlx_rs::Dtype;
use std::{fs, path::PathBuf, rc::Rc};

use app::App;
use demo::{MODELS, Model};
use engine::{
    Answer, CheckpointRole, Controls, DraftSource, Engine, Message, Precision, Prompt, Request, Role, Sampling,
    Scheduling, Speculation, inspect,
};
use nn::Vocabulary;
use tempfile::TempDir;
use tests::{Outcome, asking, tiny};

/// Questions that were not taught in these words, and how the answers begin.
const QUESTIONS: [(&str, &str); 12] = [
    ("What is this app, Slipstream?", "Slipstream is a desktop app"),
    ("Where do I change the appearance to dark mode?", "The window has a light and a dark appearance"),
    ("can i export the samples of a calibration", "Yes, the samples and the report can be exported"),
    ("what does the control γ mean", "Gamma (γ) is the most tokens that a drafter proposes"),
    ("what is the schedule adaptive", "The adaptive schedule makes proposals longer"),
    ("what is a cache of keys and values", "The cache holds the keys and values"),
    ("what is e2b in gemma 4", "E2B and E4B are the two smallest sizes"),
    ("does my text leave this machine", "Nothing of what you write in a chat leaves your machine"),
    ("How would you explain speculative decoding?", "In speculative decoding a small drafter guesses"),
    ("what does the verify pass do", "The target reads the anchor and all guesses in one pass"),
    ("who was julius caesar", "I do not know that"),
    ("how do i paint a wall", "I cannot help with that"),
];

/// All of them in one folder.
struct Models(TempDir);

impl Models {
    fn write() -> Outcome<Self> {
        let models = Self(tempfile::tempdir()?);
        for model in &MODELS {
            let folder = models.folder(model);
            fs::create_dir(&folder)?;
            for (name, bytes) in model.files {
                fs::write(folder.join(name), bytes)?;
            }
        }
        Ok(models)
    }

    fn folder(&self, model: &Model) -> PathBuf {
        self.0.path().join(model.name)
    }

    fn ask(&self, engine: &Engine, drafter: Option<&Model>, question: &str) -> Outcome<Answer> {
        let request = Request {
            drafter: drafter.map(|drafter| DraftSource::Folder(self.folder(drafter))),
            precision: Precision::AsStored,
            controls: Controls {
                schedule: Scheduling::Fixed,
                sampling: Sampling { temperature: 0.0, ..Sampling::default() },
                max_tokens: 100,
                ..Controls::default()
            },
            ..Request::new(self.folder(&MODELS[0]), Prompt::Chat(vec![Message::new(Role::User, question)]))
        };
        asking::answer(engine, request)
    }
}

#[test]
fn they_take_at_most_16_megabytes() {
    let files = MODELS.iter().flat_map(|model| model.files);
    let bytes = files.map(|(_, bytes)| bytes.len()).sum::<usize>();
    assert!(bytes <= 16_000_000, "{bytes}");
}

#[test]
fn each_is_what_it_should_be_and_every_drafter_suits_the_target() -> Outcome {
    let (models, [target, drafters @ ..]) = (Models::write()?, &MODELS);
    let folder = models.folder(target);
    let target = inspect(&folder)?;
    assert_eq!((target.role, target.kind.as_str()), (CheckpointRole::Target, "gemma4"));
    assert_eq!(target.chat_template, Some(true));
    let model = Rc::new(gemma4::Model::load(&folder, None)?);
    let layers = model.config().layers.len();
    let kinds = ["dflash2", "dflash", "dspark", "dspark"];
    for (drafter, kind) in drafters.iter().zip(kinds) {
        let folder = models.folder(drafter);
        let checkpoint = inspect(&folder)?;
        assert_eq!((checkpoint.role, checkpoint.kind.as_str()), (CheckpointRole::Drafter, kind));
        assert_eq!(checkpoint.drafts.ok_or("it drafts nothing")?.confident, kind == "dspark");
        drafters::open(&folder, Dtype::Bfloat16)?.facts().fit(model.hidden_size(), model.size(), layers)?;
    }
    Ok(())
}

#[test]
fn the_target_answers_what_it_was_not_taught_in_these_words_and_says_what_it_does_not_know() -> Outcome {
    let (models, engine) = (Models::write()?, Engine::start());
    for (question, beginning) in QUESTIONS {
        let said = models.ask(&engine, None, question)?.text;
        assert!(said.starts_with(beginning), "{question} {said}");
    }
    Ok(())
}

#[test]
fn drafting_changes_no_token_and_is_worth_what_the_order_of_the_drafters_says() -> Outcome {
    let (models, engine) = (Models::write()?, Engine::start());
    let plain = QUESTIONS.map(|(question, _)| models.ask(&engine, None, question));
    let plain = plain.into_iter().collect::<Outcome<Vec<_>>>()?;
    let mut tokens_per_round = Vec::new();
    for drafter in &MODELS[1..] {
        let (mut tokens, mut rounds) = (0, 0);
        for ((question, _), plain) in QUESTIONS.iter().zip(&plain) {
            let drafted = models.ask(&engine, Some(drafter), question)?;
            assert!(matches!(drafted.speculation, Speculation::On { .. }), "{}", drafter.name);
            assert_eq!(drafted.ids, plain.ids, "{}: {question}", drafter.name);
            tokens += drafted.stats.tokens;
            rounds += drafted.stats.rounds;
        }
        tokens_per_round.push(f64::from(u32::try_from(tokens)?) / f64::from(u32::try_from(rounds)?));
    }
    assert!(tokens_per_round.is_sorted_by(|better, worse| better >= worse), "{tokens_per_round:?}");
    assert!(tokens_per_round[0] >= 2.5 && tokens_per_round[3] < 1.5, "{tokens_per_round:?}");
    Ok(())
}

#[tokio::test]
async fn which_drafters_suit_a_target_is_known_before_anything_is_loaded() -> Outcome {
    let (models, home) = (tiny::models().await?, tempfile::tempdir()?);
    tiny::register(home.path(), models.path(), 8).await?;
    let app = App::open(home.path()).await?;
    app.add_demo().await?;
    for (target, suiting) in [(tiny::TARGET, tiny::DRAFTER), (demo::TARGET, "slipstream-demo-dflash2")] {
        let fits = app.drafter_fits(target).await?;
        assert_eq!(fits.len(), demo::MODELS.len(), "one of the tiny models, and all but one of the demo");
        for fit in fits {
            let belongs = fit.model == suiting || (target == demo::TARGET && fit.model.starts_with(target));
            assert_eq!(fit.misfit.is_none(), belongs, "{target}: {fit:?}");
        }
    }
    Ok(())
}
