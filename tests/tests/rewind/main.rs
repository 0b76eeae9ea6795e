//! Going back in a conversation.

mod gemma4;
