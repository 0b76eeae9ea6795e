//! Text to token ids, and token ids back to text.
//!
//! This crate does not know tensors, models or the network, nor where checkpoints are kept, and it runs no tools: it is
//! given a folder, and reads the tokenizer, the chat template and what the configuration says of tokens.
//!
//! [`Codec`] is opened once per checkpoint and shared. [`Codec::prompt`] turns a conversation into ids by the
//! checkpoint's own template, [`Codec::complete`] turns raw text into ids, and [`Codec::stream`] turns the ids of one
//! answer back into text while they arrive, apart from what the model thought and the tools it called.

mod bytes;
mod codec;
mod conversation;
mod defaults;
mod error;
mod files;
mod fold;
mod jinja;
mod learning;
mod markers;
mod mask;
mod prompt;
mod stops;
mod stream;
mod template;
mod thoughts;
mod tools;

pub use codec::Codec;
pub use conversation::{Content, Message, Part, Role};
pub use defaults::Defaults;
pub use error::Error;
pub use learning::learn_tokenizer;
pub use prompt::{Note, Prompt, PromptOptions};
pub use stream::{Piece, Rest, Stream};
pub use tools::{Function, ToolCall};
