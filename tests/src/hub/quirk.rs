//! What servers do wrong.

/// What goes wrong with one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quirk {
    /// Nothing.
    Fine,
    /// This status, with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// The connection closes after so many bytes of the body.
    Drop(u64),
    /// Nothing more comes after so many bytes of the body.
    Stall(u64),
    /// The status is right, and the body has no bytes.
    Empty,
    /// The body has this many bytes, and the headers say so.
    Length(u64),
    /// The status is right, and the body is this text.
    Text(&'static str, &'static str),
    /// Another range than the one that was asked for.
    Shifted,
    /// The whole, whatever was asked for.
    Whole,
    /// In chunks, without a length.
    Chunked,
    /// Without a length; the connection's end is the body's.
    Unframed,
    /// As said, and the connection closes after so many bytes of the body.
    Cut(Box<Quirk>, u64),
    /// In chunks, and a few bytes more than were asked for.
    Excess,
    /// Said to be compressed.
    Encoded,
    /// Of the right length, with one byte changed.
    Corrupt,
    /// Sends elsewhere.
    Redirect(String),
    /// Says that the content has another name.
    Renamed,
}

impl Quirk {
    /// A status and nothing else.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Status(status, Vec::new(), String::new())
    }

    /// Too many requests: come back after `seconds`.
    #[must_use]
    pub fn busy(seconds: &str) -> Self {
        Self::Status(429, vec![("Retry-After", seconds.to_owned())], String::new())
    }
}
