//! The Jinja dialect of published chat templates, which is Python's with a few extras.

use std::io::{self, Write};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind};
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// An environment that renders as the reference implementation does.
pub(crate) fn environment() -> Result<Environment<'static>, Error> {
    let mut env = Environment::new();
    env.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    env.add_function("raise_exception", raise_exception);
    env.add_function("strftime_now", strftime_now);
    env.add_filter("tojson", to_json);
    env.add_test("sequence", is_sequence);
    Ok(env)
}

/// The same template with every `generation` block as a plain `if true` block. These blocks mark
/// what a training loss covers; an `if` keeps their whitespace control.
pub(crate) fn without_generation_tags(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("{%") {
        let inner_start = start + 2;
        let Some(length) = rest[inner_start..].find("%}") else { break };
        let inner = &rest[inner_start..inner_start + length];
        out.push_str(&rest[..inner_start]);
        match inner.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+') {
            "generation" => out.push_str(&inner.replace("generation", " if true ")),
            "endgeneration" => out.push_str(&inner.replace("endgeneration", " endif ")),
            _ => out.push_str(inner),
        }
        rest = &rest[inner_start + length..];
    }
    out + rest
}

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}

/// The local time now, in C's notation.
#[expect(clippy::needless_pass_by_value, reason = "minijinja hands over owned arguments")]
fn strftime_now(format: String) -> Result<String, Error> {
    jiff::fmt::strtime::format(&format, &jiff::ZonedDateTime::now())
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("strftime_now({format:?}): {error}")))
}

/// Python's `sequence` test only asks for a length and an index, which strings and mappings have.
fn is_sequence(value: &Value) -> bool {
    use ValueKind::{Map, Seq, String, Undefined};
    matches!(value.kind(), Seq | Map | String | Undefined)
}

/// As Python's `json.dumps(value, ensure_ascii=False, indent=indent)`: nothing is escaped for HTML.
#[expect(clippy::needless_pass_by_value, reason = "minijinja hands over owned arguments")]
fn to_json(value: &Value, arguments: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = arguments.get("indent")?;
    arguments.assert_all_used()?;
    match indent {
        None => written(value, Spaced),
        Some(width) => written(value, PrettyFormatter::with_indent(" ".repeat(width).as_bytes())),
    }
}

fn written(value: &Value, formatter: impl Formatter) -> Result<String, Error> {
    let failed = |what: String| Error::new(ErrorKind::BadSerialization, what);
    let mut json = Vec::new();
    value
        .serialize(&mut Serializer::with_formatter(&mut json, formatter))
        .map_err(|error| failed(error.to_string()))?;
    String::from_utf8(json).map_err(|error| failed(error.to_string()))
}

/// Python's default separators: `", "` and `": "`.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a template that does not render fails its test")]

    use minijinja::context;

    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let source = without_generation_tags(source);
        let values = context! {
            nested => context! { a => vec![1, 2], b => "<é'>" },
            empty => Vec::<u32>::new(),
        };
        assert_eq!(environment().unwrap().render_str(&source, values).unwrap(), expected);
    }

    #[test]
    fn tojson_writes_what_python_writes() {
        check("{{ nested|tojson }}", r#"{"a": [1, 2], "b": "<é'>"}"#);
        check("{{ empty|tojson }}", "[]");
        check("{{ nested|tojson(indent=1) }}", "{\n \"a\": [\n  1,\n  2\n ],\n \"b\": \"<é'>\"\n}");
    }

    #[test]
    fn generation_blocks_leave_their_content_and_their_whitespace_control() {
        check("a {%- generation -%} b {% endgeneration %} c", "ab  c");
        check("a\n  {% generation %}\nb\n  {% endgeneration %}\nc", "a\nb\nc");
        check("{{ '{% generation' }}{# {% endgeneration %} #}", "{% generation");
    }

    #[test]
    fn python_methods_and_tests_work() {
        check("{{ ' a,b '.strip().split(',')|join('+') }}", "a+b");
        check("{{ {'k': 1}.get('k') }}{{ {'k': 1}.get('x') is none }}", "1True");
        check("{{ 'x' is sequence }} {{ {} is sequence }} {{ 1 is sequence }}", "True True False");
        // What stops Gemma 4's template at a tool result that is an object: its keys are no parts.
        assert!(environment().unwrap().render_str("{{ 'k'.get('text') }}", ()).is_err());
    }

    #[test]
    fn today_is_formatted_as_in_c() {
        let year = jiff::ZonedDateTime::now().year().to_string();
        check("{{ strftime_now('%Y') }}", &year);
        assert!(environment().unwrap().render_str("{{ strftime_now('%') }}", ()).is_err());
    }

    #[test]
    fn blocks_take_their_line_with_them() {
        check("a\n  {% if true %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc");
    }
}
