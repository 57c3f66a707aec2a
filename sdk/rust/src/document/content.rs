use super::{Decode, Encode};
use crate::wire::{append_array, append_str, DecodeError, Map, Raw, Value};

/// The content of a message: a text, or a list of blocks. A single text block without further keys is the same as a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content(Parts);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Parts {
    Text(String),
    Blocks(Vec<Block>),
}

impl Default for Parts {
    fn default() -> Self {
        Parts::Text(String::new())
    }
}

impl Content {
    /// Content of one text.
    pub fn text_of(text: impl Into<String>) -> Self {
        Content(Parts::Text(text.into()))
    }

    /// Content of blocks.
    pub fn of_blocks(blocks: impl Into<Vec<Block>>) -> Self {
        let blocks = blocks.into();
        match blocks.as_slice() {
            [] => Content::default(),
            [one] if one.is_plain_text() => Content::text_of(one.text()),
            _ => Content(Parts::Blocks(blocks)),
        }
    }

    /// Reports whether the content is one plain text.
    pub fn is_text(&self) -> bool {
        matches!(self.0, Parts::Text(_))
    }

    /// Reports whether the content is the empty text.
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, Parts::Text(text) if text.is_empty())
    }

    /// The texts of all text blocks joined, without the content of other blocks.
    pub fn text(&self) -> String {
        match &self.0 {
            Parts::Text(text) => text.clone(),
            Parts::Blocks(blocks) => blocks.iter().filter(|b| b.kind() == "text").map(Block::text).collect(),
        }
    }

    /// The content as blocks. The empty text has none.
    pub fn blocks(&self) -> Vec<Block> {
        match &self.0 {
            Parts::Text(text) if text.is_empty() => Vec::new(),
            Parts::Text(text) => vec![Block::text_of(text.as_str())],
            Parts::Blocks(blocks) => blocks.clone(),
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Content::text_of(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content::text_of(text)
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Content::of_blocks(blocks)
    }
}

impl Encode for Content {
    fn encode(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Parts::Text(text) => append_str(out, text),
            Parts::Blocks(blocks) => {
                append_array(out, blocks.len());
                for block in blocks {
                    block.0.append(out);
                }
            }
        }
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Decode for Content {
    fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
        if value.is_nil() {
            return Ok(Content::default());
        }
        if !value.is_array() {
            return String::decode(value).map(Content::text_of);
        }
        Vec::<Block>::decode(value).map(Content::of_blocks)
    }
}

/// One part of a content: a map with at least the key `type`. Unknown keys are kept, because
/// providers need them back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block(Map);

impl Block {
    /// A block of any type, made from its keys other than `type`.
    pub fn new(kind: &str, keys: Map) -> Self {
        Block(keys.with("type", kind))
    }

    /// A text block.
    pub fn text_of(text: impl Into<String>) -> Self {
        Block::new("text", Map::new().with("text", text.into()))
    }

    /// An image block made from bytes, with a type such as `image/png`.
    pub fn image(mime_type: &str, data: &[u8]) -> Self {
        Block::new("image", Map::new().with("mime_type", mime_type).with("data", Raw::bin(data)))
    }

    /// An image block that points to the image.
    pub fn image_url(url: &str) -> Self {
        Block::new("image", Map::new().with("url", url))
    }

    /// A file block.
    pub fn file(name: &str, mime_type: &str, data: &[u8]) -> Self {
        Block::new("file", Map::new().with("name", name).with("mime_type", mime_type).with("data", Raw::bin(data)))
    }

    /// The type of the block.
    pub fn kind(&self) -> &str {
        self.string("type")
    }

    /// The text of a text block; empty for others.
    pub fn text(&self) -> &str {
        if self.kind() == "text" {
            self.string("text")
        } else {
            ""
        }
    }

    /// All keys of the block.
    pub fn keys(&self) -> &Map {
        &self.0
    }

    fn string(&self, key: &str) -> &str {
        self.0.get(key).and_then(|v| v.as_str()).unwrap_or_default()
    }

    fn is_plain_text(&self) -> bool {
        self.0.len() == 2 && self.kind() == "text" && self.0.get("text").is_some_and(|v| v.as_str().is_some())
    }
}

impl Encode for Block {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.append(out);
    }
}

impl Decode for Block {
    fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
        let block = Block(Map::try_from(value)?);
        if block.kind().is_empty() {
            return Err(DecodeError::new("a block needs the key \"type\""));
        }
        Ok(block)
    }
}
