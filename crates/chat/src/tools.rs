//! What a model may call, and how it did.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// A call of a tool, as the model made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "function")]
pub struct ToolCall {
    /// What the tool's result refers to it by.
    #[serde(default)]
    pub id: String,
    /// What is called, and with what.
    pub function: Function,
}

/// The name of a tool and what it is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The tool's name.
    pub name: String,
    /// An object from the names of the arguments to their values.
    // The chat-completions API writes this object as JSON inside a string, which Gemma 4's template refuses. So it is
    // parsed where a message enters. A template is given exactly what stands here, even if it is no object.
    #[serde(deserialize_with = "object_if_it_is_one")]
    pub arguments: Value,
}

impl ToolCall {
    pub(crate) fn mapped(&self, map: &impl Fn(&str) -> String) -> Self {
        let Function { name, arguments } = &self.function;
        Self { id: map(&self.id), function: Function { name: map(name), arguments: mapped(arguments, map) } }
    }
}

/// The same JSON with each text, keys too, replaced by what `map` makes of it.
pub(crate) fn mapped(value: &Value, map: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(map(text)),
        Value::Array(items) => items.iter().map(|item| mapped(item, map)).collect(),
        Value::Object(entries) => entries.iter().map(|(key, value)| (map(key), mapped(value, map))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn object_if_it_is_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let given = Value::deserialize(deserializer)?;
    let object = given.as_str().and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    Ok(object.map_or(given, Value::Object))
}
