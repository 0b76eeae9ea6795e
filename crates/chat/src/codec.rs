//! A checkpoint's way from text to token ids and back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokenizers::Tokenizer;

use crate::Error;
use crate::bytes::TokenBytes;
use crate::conversation::Message;
use crate::defaults::Defaults;
use crate::files::{malformed, optional_bytes, optional_json};
use crate::markers::Markers;
use crate::prompt::{self, Prompt, PromptOptions};
use crate::stream::Stream;
use crate::template::Template;

/// Tokenizer, chat template and stop ids of one checkpoint. A clone shares them.
#[derive(Clone)]
pub struct Codec {
    parts: Arc<Parts>,
}

struct Parts {
    path: PathBuf,
    tokenizer: Tokenizer,
    bytes: TokenBytes,
    markers: Markers,
    defaults: Defaults,
    template: Option<Template>,
}

impl Codec {
    /// Reads a checkpoint folder. Only `tokenizer.json` must be there.
    ///
    /// # Errors
    /// When a file is missing, unreadable or malformed, or the template cannot be understood.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("tokenizer.json");
        let tokenizer = tokenizer(&path)?;
        let tokenizer_config = optional_json(&folder.join("tokenizer_config.json"))?;
        let generation_config = optional_json(&folder.join("generation_config.json"))?;
        let config = optional_json(&folder.join("config.json"))?;
        let markers = Markers::new(&tokenizer, &tokenizer_config, &generation_config, &config);
        let defaults = Defaults::new(&generation_config);
        let template = Template::find(folder, &tokenizer_config)?;
        let bytes = TokenBytes::new(&tokenizer);
        Ok(Self { parts: Arc::new(Parts { path, tokenizer, bytes, markers, defaults, template }) })
    }

    /// Ids that end an answer: those of the generation config, the config and the tokenizer.
    #[must_use]
    pub fn stop_ids(&self) -> &BTreeSet<u32> {
        &self.parts.markers.stops
    }

    /// Ids that an answer in text never contains, whatever their logits: those that the generation config suppresses,
    /// and the markers of pictures, sounds and films.
    #[must_use]
    pub fn suppressed_ids(&self) -> &BTreeSet<u32> {
        &self.parts.markers.suppressed
    }

    /// How the publisher samples from this checkpoint.
    #[must_use]
    pub fn defaults(&self) -> Defaults {
        self.parts.defaults
    }

    /// The id that every text begins with, if this tokenizer has one.
    #[must_use]
    pub fn bos_id(&self) -> Option<u32> {
        self.parts.markers.bos
    }

    /// The id of the token that only fills space, if this tokenizer has one.
    #[must_use]
    pub fn pad_id(&self) -> Option<u32> {
        self.parts.tokenizer.token_to_id("<pad>")
    }

    /// The id of the token that stands where another is to be guessed, if this tokenizer has one.
    #[must_use]
    pub fn mask_id(&self) -> Option<u32> {
        self.parts.tokenizer.token_to_id("<mask>")
    }

    /// Whether the checkpoint brought a chat template; a base model did not.
    #[must_use]
    pub fn has_template(&self) -> bool {
        self.parts.template.is_some()
    }

    /// Ids of a text to be continued, behind exactly one BOS. Control tokens written in the text
    /// are control tokens.
    ///
    /// # Errors
    /// When the tokenizer cannot encode the text.
    pub fn complete(&self, text: &str) -> Result<Vec<u32>, Error> {
        Ok(self.with_one_bos(self.encode(text)?))
    }

    /// Ids of a conversation, by the checkpoint's own template. Control tokens written in a message
    /// stay plain text. Without a template the messages are joined by line breaks, and a note says
    /// so.
    ///
    /// # Errors
    /// When the template refuses the conversation, or the tokenizer cannot encode it.
    pub fn prompt(&self, messages: &[Message], options: PromptOptions) -> Result<Prompt, Error> {
        prompt::prompt(self, messages, options)
    }

    /// The text of some tokens without control tokens, as the continuation of a text: a leading
    /// space is kept, and bytes that are no characters are U+FFFD.
    #[must_use]
    pub fn decode(&self, ids: &[u32]) -> String {
        let bytes: Vec<u8> = ids.iter().flat_map(|&id| self.token_bytes(id)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The same text with its control tokens, to show what the model really wrote.
    #[must_use]
    pub fn raw(&self, ids: &[u32]) -> String {
        let bytes: Vec<u8> = ids.iter().flat_map(|&id| self.raw_bytes(id)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A detokenizer for the answer to a prompt, which ends before any of the stop strings. It begins in a thought if
    /// the prompt ends in one.
    #[must_use]
    pub fn stream(&self, prompt: &[u32], stop_strings: Vec<String>) -> Stream {
        Stream::new(self, prompt, stop_strings)
    }

    pub(crate) fn markers(&self) -> &Markers {
        &self.parts.markers
    }

    pub(crate) fn template(&self) -> Option<&Template> {
        self.parts.template.as_ref()
    }

    /// Ids as they stand: nothing is added, control tokens are recognised.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        match self.parts.tokenizer.encode_fast(text, false) {
            Ok(encoding) => Ok(encoding.get_ids().to_vec()),
            Err(source) => Err(Error::Encode { path: self.parts.path.clone(), source }),
        }
    }

    /// The same, and how many of these tokens end within the first `length` bytes.
    pub(crate) fn encode_within(&self, text: &str, length: usize) -> Result<(Vec<u32>, usize), Error> {
        match self.parts.tokenizer.encode(text, false) {
            Ok(encoding) => {
                let within = encoding.get_offsets().iter().take_while(|(_, end)| *end <= length).count();
                Ok((encoding.get_ids().to_vec(), within))
            }
            Err(source) => Err(Error::Encode { path: self.parts.path.clone(), source }),
        }
    }

    /// The same ids behind exactly one BOS, whether they had none or several.
    pub(crate) fn with_one_bos(&self, ids: Vec<u32>) -> Vec<u32> {
        let Some(bos) = self.bos_id() else { return ids };
        let rest = ids.into_iter().skip_while(|&id| id == bos);
        std::iter::once(bos).chain(rest).collect()
    }

    /// The bytes of one token; none for an unknown id or a control token.
    pub(crate) fn token_bytes(&self, id: u32) -> Vec<u8> {
        if self.markers().control.contains_key(&id) { Vec::new() } else { self.raw_bytes(id) }
    }

    /// The bytes of one token, its text if it is a control token; none for an unknown id.
    pub(crate) fn raw_bytes(&self, id: u32) -> Vec<u8> {
        let Parts { tokenizer, bytes, markers, .. } = &*self.parts;
        match markers.control.get(&id) {
            Some(text) => text.clone().into_bytes(),
            None => tokenizer.id_to_token(id).map_or_else(Vec::new, |token| bytes.of(tokenizer, &token)),
        }
    }
}

impl std::fmt::Debug for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Codec").field("tokenizer", &self.parts.path).finish_non_exhaustive()
    }
}

fn tokenizer(path: &Path) -> Result<Tokenizer, Error> {
    let Some(bytes) = optional_bytes(path)? else {
        return Err(Error::Missing { path: path.to_path_buf() });
    };
    let parsed = Tokenizer::from_bytes(&bytes).and_then(|mut tokenizer| {
        // A file saved during training may still cut or pad what it encodes.
        tokenizer.with_truncation(None)?;
        tokenizer.with_padding(None);
        Ok(tokenizer)
    });
    parsed.map_err(|error| malformed(path, &bytes, &error))
}
