//! What the guard keeps of what it found, for people and programs: state fields and events.

use crate::config::Action;
use crate::scan::{is_invisible, Category, Passage, Severity};
use agenthost::sha256;
use agenthost::{Context, Field, Map, Result, Schema, Update};
use serde::Serialize;

/// Counts the passages that were found in the run.
pub static FINDINGS: Field<u64> = Field::new("guard_findings").run().add().hide_input().checked();

/// The passages of the run that were cut out.
pub static QUARANTINE: Field<Vec<Entry>> = Field::new("guard_quarantine").run().append().hide_input().checked();

/// So many entries a call adds, and so many are in the field; parallel calls may go beyond. What is more is only
/// counted.
const MOST_OF_CALL: usize = 16;
const MOST_OF_RUN: usize = 128;

/// How much of a passage is kept, in bytes.
const LONGEST_EXCERPT: usize = 400;

/// A passage in quarantine.
#[derive(Serialize, Schema)]
pub struct Entry {
    /// The tool that answered; empty for a message of the user.
    pub tool: String,
    /// The id of the call or message.
    pub id: String,
    /// What the passage tries.
    pub category: Category,
    /// How sure that is.
    pub severity: Severity,
    /// Of the whole passage, in hexadecimal digits.
    pub sha256: String,
    /// The length of the whole passage, in bytes.
    pub bytes: u64,
    /// How it begins. What cannot be seen is written as in Rust: \u{200b}.
    pub excerpt: String,
}

/// Where a text comes from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The tool that answered; empty for a message of the user.
    pub tool: &'a str,
    /// The id of the call or message.
    pub id: &'a str,
}

/// What is found during one call of a hook.
pub struct Record {
    action: Action,
    room: usize,
    entries: Vec<Entry>,
    counts: [u64; Category::ALL.len()],
}

impl Record {
    /// Begins with what the run has so far.
    pub fn new(ctx: &Context, action: Action) -> Self {
        // Not by FINDINGS.get: serde would add 13 KiB to the module for this one number.
        let found = ctx.state(FINDINGS.name()).and_then(|v| v.as_u64()).unwrap_or_default() as usize;
        let room = MOST_OF_RUN.saturating_sub(found).min(MOST_OF_CALL);
        Record { action, room, entries: Vec::new(), counts: Default::default() }
    }

    /// Notes the passages of a text.
    pub fn note(&mut self, source: Source<'_>, text: &str, passages: &[Passage]) {
        for passage in passages {
            self.counts[passage.category as usize] += passage.count as u64;
            if self.entries.len() < self.room && matches!(self.action, Action::Quarantine | Action::Block) {
                self.entries.push(entry(source, &text[passage.range.clone()], passage));
            }
        }
    }

    /// Puts what was noted into the fields and into events, one for each category.
    pub fn report(self, ctx: &Context, source: Source<'_>, update: &mut Update) -> Result<()> {
        let sum = self.counts.iter().sum();
        if sum == 0 {
            return Ok(());
        }
        FINDINGS.set(update, sum);
        if !self.entries.is_empty() {
            QUARANTINE.set(update, self.entries);
        }
        let name = match self.action {
            Action::Quarantine => "guard_quarantined",
            Action::Block | Action::Error => "guard_blocked",
            Action::Flag => "guard_flagged",
        };
        for (category, count) in Category::ALL.iter().zip(self.counts).filter(|(_, count)| *count > 0) {
            let mut data = Map::new().with("category", category.as_str()).with("count", count);
            if !source.tool.is_empty() {
                data.set("tool", source.tool);
            }
            ctx.emit(name, data)?;
        }
        Ok(())
    }
}

fn entry(source: Source<'_>, text: &str, passage: &Passage) -> Entry {
    Entry {
        tool: source.tool.to_owned(),
        id: source.id.to_owned(),
        category: passage.category,
        severity: passage.severity,
        sha256: sha256::hex(text),
        bytes: text.len() as u64,
        excerpt: excerpt(text),
    }
}

fn excerpt(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if is_invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        if out.len() >= LONGEST_EXCERPT {
            out.push('…');
            break;
        }
    }
    out
}
