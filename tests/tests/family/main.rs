//! The published members of the family.

mod gemma4;
