use std::path::PathBuf;

/// What can go wrong between text and token ids.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The checkpoint folder lacks a file that nothing can replace.
    #[error("{} is missing: without it text cannot become tokens; download this file again", .path.display())]
    Missing {
        /// The file that was looked for.
        path: PathBuf,
    },

    /// The file is there, but the system does not let us read it.
    #[error("{} cannot be read ({source}); check its permissions and the disk", .path.display())]
    Unreadable {
        /// The file that was opened.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },

    /// The file was read, and is not what its name promises.
    #[error("{} is malformed: {reason}; download this file again", .path.display())]
    Malformed {
        /// The file that was parsed.
        path: PathBuf,
        /// What is wrong with it, or what it is instead.
        reason: String,
    },

    /// The chat template is not a template that can be understood.
    #[error("the chat template in {} cannot be understood (line {line}): {message}; try the publisher's newest template", .path.display())]
    TemplateSyntax {
        /// The file that holds the template.
        path: PathBuf,
        /// The line of the template, counted from 1; 0 when unknown.
        line: usize,
        /// What the template engine said.
        message: String,
    },

    /// The chat template gave up on this conversation, mostly by its own `raise_exception`.
    #[error("the chat template in {} refuses this conversation (line {line}): {message}", .path.display())]
    TemplateRefused {
        /// The file that holds the template.
        path: PathBuf,
        /// The line of the template, counted from 1; 0 when unknown.
        line: usize,
        /// The template's own message.
        message: String,
    },

    /// The tokenizer could not encode a text, which points to an incomplete vocabulary.
    #[error("the tokenizer in {} cannot encode this text ({source}); download this file again", .path.display())]
    Encode {
        /// The tokenizer's file.
        path: PathBuf,
        /// What the tokenizer said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// No tokenizer could be learnt from texts.
    #[error("no tokenizer can be learnt from these texts: {source}")]
    Learning {
        /// What the tokenizers library said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
