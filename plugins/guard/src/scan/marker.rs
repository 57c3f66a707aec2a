//! Marks of chat templates and of tool calls. They are not words, so they are looked for at the signs that they begin
//! with.

use super::finding::{Category, Finding, Severity};
use super::fold::Folded;
use super::trie::Trie;
use super::work::Work;
use Category::{RoleMarker, ToolCall};
use Severity::{High, Low, Medium};

/// What each mark means. A mark that ends with a letter must be followed by something else.
const MARKERS: &[(&str, Category, Severity)] = &[
    ("[inst]", RoleMarker, High),
    ("[/inst]", RoleMarker, High),
    ("<<sys>>", RoleMarker, High),
    ("<</sys>>", RoleMarker, High),
    ("[system_prompt]", RoleMarker, High),
    ("[/system_prompt]", RoleMarker, High),
    ("[available_tools]", RoleMarker, High),
    ("<start_of_turn>", RoleMarker, High),
    ("<end_of_turn>", RoleMarker, High),
    ("<system_prompt>", RoleMarker, Medium),
    ("</system_prompt>", RoleMarker, Medium),
    ("<system-prompt>", RoleMarker, Medium),
    ("<system_message>", RoleMarker, Medium),
    ("<system_instructions>", RoleMarker, Medium),
    ("<system-reminder>", RoleMarker, Medium),
    ("<important>", RoleMarker, Medium),
    ("<system>", RoleMarker, Low),
    ("</system>", RoleMarker, Low),
    ("<assistant>", RoleMarker, Low),
    ("<human>", RoleMarker, Low),
    ("### system:", RoleMarker, Medium),
    ("###system:", RoleMarker, Medium),
    ("### system\n", RoleMarker, Medium),
    ("### system prompt", RoleMarker, Medium),
    ("### instruction:", RoleMarker, Medium),
    ("###instruction:", RoleMarker, Medium),
    ("[system]", RoleMarker, Low),
    ("[system]:", RoleMarker, Medium),
    ("[system](#", RoleMarker, Medium),
    ("[assistant](#", RoleMarker, Medium),
    ("<tool_call>", ToolCall, Medium),
    ("</tool_call>", ToolCall, Medium),
    ("<tool_calls>", ToolCall, Medium),
    ("<tool_use>", ToolCall, Medium),
    ("<tool_result>", ToolCall, Medium),
    ("<tool_response>", ToolCall, Medium),
    ("<function_calls>", ToolCall, Medium),
    ("</function_calls>", ToolCall, Medium),
    ("<function_results>", ToolCall, Medium),
    ("<invoke name=", ToolCall, Medium),
    ("<function=", ToolCall, Medium),
    ("[tool_calls]", ToolCall, Medium),
    ("[tool_results]", ToolCall, Medium),
];

/// The most letters of a special token such as `<|im_start|>`.
const LONGEST_TOKEN: usize = 32;

/// The marks.
#[derive(Debug)]
pub struct Markers {
    trie: Trie,
    meanings: Vec<Option<(Category, Severity)>>, // by node
}

impl Default for Markers {
    fn default() -> Self {
        let mut trie = Trie::default();
        let nodes: Vec<u16> = MARKERS.iter().map(|(text, ..)| trie.insert(text.as_bytes())).collect();
        let mut meanings = vec![None; trie.len()];
        for (node, (_, category, severity)) in nodes.iter().zip(MARKERS) {
            meanings[*node as usize] = Some((*category, *severity));
        }
        Markers { trie, meanings }
    }
}

impl Markers {
    /// Appends the marks in a text.
    pub fn find(&self, folded: &Folded, source: &str, findings: &mut Vec<Finding>, work: &mut Work) {
        let text = &folded.text;
        for (at, b) in text.iter().enumerate() {
            work.add(1);
            if !matches!(b, b'<' | b'[' | b'#') {
                continue;
            }
            if let Some((length, category, severity)) = self.mark(&text[at..], work) {
                findings.push(Finding { range: folded.source(at..at + length, source), category, severity });
            }
        }
    }

    /// The mark that a text begins with: the longest.
    fn mark(&self, text: &[u8], work: &mut Work) -> Option<(usize, Category, Severity)> {
        if let Some(length) = special_token(text, work) {
            return Some((length, RoleMarker, High));
        }
        let (mut node, mut found) = (0, None);
        for (n, byte) in text.iter().enumerate() {
            match self.trie.step(node, *byte, work) {
                Some(child) => node = child,
                None => break,
            }
            if let Some((category, severity)) = self.meanings[node as usize] {
                found = Some((n + 1, category, severity));
            }
        }
        found
    }
}

/// The length of a special token, `<|name|>`.
fn special_token(text: &[u8], work: &mut Work) -> Option<usize> {
    let name = text.strip_prefix(b"<|")?;
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let length = name.iter().take(LONGEST_TOKEN + 1).position(|b| !is_name(b))?;
    work.add(length);
    (length >= 3 && name[length..].starts_with(b"|>")).then_some(length + 4)
}
