//! The text of a message: that of its content, or of all text blocks of it. Blocks of other kinds are not looked at and
//! stay.

use crate::scan::Passage;
use agenthost::{Block, Content, MessageRef};
use std::borrow::Cow;
use std::ops::Range;

/// The text of a message.
pub struct Text<'a> {
    /// All of it: that of several blocks is joined by line feeds, so that an attack that is split over them is seen.
    pub joined: Cow<'a, str>,
    blocks: Vec<Block>,       // none: the content is a text
    parts: Vec<Range<usize>>, // where the text of each block is in `joined`; empty at its end, if it has none
}

impl<'a> Text<'a> {
    /// Reads the text of a message.
    pub fn of(message: &MessageRef<'a>) -> Self {
        if let Some(text) = message.get("content").and_then(|v| v.as_str()) {
            return Text { joined: text.into(), blocks: Vec::new(), parts: Vec::new() };
        }
        let blocks = message.content().blocks();
        let mut joined = String::new();
        let mut parts = Vec::with_capacity(blocks.len());
        for block in &blocks {
            if !joined.is_empty() && !block.text().is_empty() {
                joined.push('\n');
            }
            let start = joined.len();
            joined.push_str(block.text());
            parts.push(start..joined.len());
        }
        Text { joined: joined.into(), blocks, parts }
    }

    /// The content with each passage replaced by what stands in its place. Of a passage that reaches over several
    /// blocks that is where it begins; a block of which nothing is left is dropped, since models refuse empty texts.
    pub fn replace(&self, passages: &[Passage], stand_in: impl Fn(&Passage) -> String) -> Content {
        if self.parts.is_empty() {
            return self.replace_part(&(0..self.joined.len()), passages, &stand_in).into();
        }
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for (block, part) in self.blocks.iter().zip(&self.parts) {
            let touches = |p: &Passage| p.range.start < part.end && part.start < p.range.end;
            if part.is_empty() || !passages.iter().any(touches) {
                blocks.push(block.clone());
                continue;
            }
            let left = self.replace_part(part, passages, &stand_in);
            if !left.is_empty() {
                blocks.push(with_text(block, left));
            }
        }
        blocks.into()
    }

    fn replace_part(&self, part: &Range<usize>, passages: &[Passage], stand_in: impl Fn(&Passage) -> String) -> String {
        let mut out = String::with_capacity(part.len());
        let mut at = part.start;
        for passage in passages {
            let (start, end) = (passage.range.start.max(at), passage.range.end.min(part.end));
            if start >= end {
                continue;
            }
            out.push_str(&self.joined[at..start]);
            if passage.range.start >= part.start {
                out.push_str(&stand_in(passage));
            }
            at = end;
        }
        out.push_str(&self.joined[at..part.end]);
        out
    }

    /// The content between two texts.
    pub fn between(&self, before: &str, after: &str) -> Content {
        if self.parts.is_empty() {
            return format!("{before}\n{}\n{after}", self.joined).into();
        }
        let mut blocks = self.blocks.clone();
        blocks.insert(0, Block::text_of(before));
        blocks.push(Block::text_of(after));
        blocks.into()
    }
}

fn with_text(block: &Block, text: String) -> Block {
    Block::new("text", block.keys().clone().with("text", text))
}
