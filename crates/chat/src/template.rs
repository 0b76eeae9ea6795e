//! The checkpoint's chat template: where it is found, and how it renders a conversation.

use std::path::{Path, PathBuf};

use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde_json::Value;

use crate::Error;
use crate::conversation::Message;
use crate::files::{optional_json, optional_template};
use crate::jinja;
use crate::markers::Markers;
use crate::prompt::PromptOptions;

/// What the template engine calls the one template it has.
const NAME: &str = "chat template";

/// A chat template that has been found and understood.
pub(crate) struct Template {
    path: PathBuf,
    source: String,
    environment: Environment<'static>,
}

impl Template {
    /// The template of a checkpoint folder: `chat_template.jinja`, else `chat_template.json`, else
    /// the one inside `tokenizer_config.json`; `None` when nobody has one.
    pub(crate) fn find(folder: &Path, tokenizer_config: &Value) -> Result<Option<Self>, Error> {
        let path = folder.join("chat_template.jinja");
        if let Some(source) = optional_template(&path)?.filter(|source| !source.trim().is_empty()) {
            return Self::new(path, &source).map(Some);
        }
        let path = folder.join("chat_template.json");
        if let Some(source) = embedded(&path, &optional_json(&path)?)? {
            return Self::new(path, &source).map(Some);
        }
        let path = folder.join("tokenizer_config.json");
        let source = embedded(&path, tokenizer_config)?;
        source.map(|source| Self::new(path, &source)).transpose()
    }

    fn new(path: PathBuf, source: &str) -> Result<Self, Error> {
        let source = jinja::without_generation_tags(source);
        let environment = jinja::environment().and_then(|mut environment| {
            environment.add_template_owned(NAME, source.clone())?;
            Ok(environment)
        });
        match environment {
            Ok(environment) => Ok(Self { path, source, environment }),
            Err(error) => {
                let (line, message) = deepest(&error);
                Err(Error::TemplateSyntax { path, line, message })
            }
        }
    }

    /// The text that the model is to read for this conversation.
    pub(crate) fn render(
        &self,
        messages: &[Message],
        options: PromptOptions,
        markers: &Markers,
    ) -> Result<String, Error> {
        let variables = context! {
            messages => Serde(messages),
            bos_token => markers.bos_text.as_str(),
            eos_token => markers.eos_text.as_str(),
            add_generation_prompt => options.add_generation_prompt,
            enable_thinking => options.enable_thinking,
            preserve_thinking => options.preserve_thinking,
            // None rather than an empty list, which some templates take for tools.
            tools => Some(options.tools).filter(|tools| !tools.is_empty()).map(Serde),
        };
        let template = self.environment.get_template(NAME);
        template.and_then(|template| template.render(variables)).map_err(|error| {
            let (line, message) = deepest(&error);
            Error::TemplateRefused { path: self.path.clone(), line, message }
        })
    }

    /// The characters that the template itself is written in.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }
}

/// The `chat_template` field of a JSON file: one template, or several by name, of which `default`
/// is meant for chatting; without that name, the first.
fn embedded(path: &Path, file: &Value) -> Result<Option<String>, Error> {
    let field = &file["chat_template"];
    let source = match field {
        Value::Null => None,
        Value::String(source) => Some(source.as_str()),
        Value::Array(named) => {
            let default = named.iter().find(|entry| entry["name"] == "default").or(named.first());
            default.and_then(|entry| entry["template"].as_str())
        }
        Value::Object(named) => named.get("default").or(named.values().next()).and_then(Value::as_str),
        other => {
            let reason = format!("its chat_template is {other}");
            return Err(Error::Malformed { path: path.to_path_buf(), reason });
        }
    };
    Ok(source.filter(|source| !source.trim().is_empty()).map(str::to_owned))
}

/// Line and words of the error that began it all; those around it only say "while rendering".
fn deepest(error: &minijinja::Error) -> (usize, String) {
    let mut deepest = error;
    while let Some(inner) =
        std::error::Error::source(deepest).and_then(|source| source.downcast_ref::<minijinja::Error>())
    {
        deepest = inner;
    }
    let message = deepest.detail().map_or_else(|| deepest.kind().to_string(), str::to_owned);
    (deepest.line().or(error.line()).unwrap_or(0), message)
}
