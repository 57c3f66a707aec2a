//! Passages: what is cut out of a text, which is more than what a pattern matches.

use super::finding::{Category, Finding, Severity};
use super::work::Work;
use std::ops::Range;

/// How far back the beginning of the sentence is looked for, in bytes.
const BACK: usize = 400;

/// How far the rest of the paragraph goes along, in bytes.
const AHEAD: usize = 2000;

/// A part of a text that is to be cut out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// Of the find that is most surely an attack.
    pub category: Category,
    /// The same.
    pub severity: Severity,
    /// How many passages it was, before they were put together.
    pub count: usize,
}

/// What findings make of a text.
///
/// A passage reaches from the beginning of the sentence to the end of the paragraph, since what an attack wants done
/// stands behind the phrase that gives it away. In a JSON document it stays inside of its string. Hidden text and links
/// are exact.
pub fn passages(text: &str, mut findings: Vec<Finding>, work: &mut Work) -> Vec<Passage> {
    findings.sort_unstable_by_key(|f| (f.range.start, f.range.end));
    let bounds = Bounds { text: text.as_bytes(), is_json: text.trim_start().starts_with(['{', '[']) };
    let mut passages: Vec<Passage> = Vec::new();
    for finding in findings {
        let taken = passages.last().map_or(0, |p| p.range.end);
        let mut range = finding.range.clone();
        if !matches!(finding.category, Category::HiddenText | Category::Url) {
            if range.start >= taken {
                range.start = bounds.sentence(range.start, taken, work);
            }
            range.end = bounds.paragraph(range.end, taken, work);
        }
        work.add(1);
        match passages.last_mut() {
            Some(last) if range.start < last.range.end => {
                last.range.end = last.range.end.max(range.end);
                last.judge(&finding);
            }
            Some(last) if last.category.label() == finding.category.label() && is_blank(text, last, &range, work) => {
                last.range.end = range.end;
                last.count += 1;
                last.judge(&finding);
            }
            _ => passages.push(Passage { range, category: finding.category, severity: finding.severity, count: 1 }),
        }
    }
    passages
}

fn is_blank(text: &str, last: &Passage, next: &Range<usize>, work: &mut Work) -> bool {
    let between = &text.as_bytes()[last.range.end..next.start];
    let blanks = between.iter().take_while(|b| b.is_ascii_whitespace()).count();
    work.add(blanks);
    blanks == between.len()
}

impl Passage {
    fn judge(&mut self, finding: &Finding) {
        if finding.severity > self.severity {
            (self.category, self.severity) = (finding.category, finding.severity);
        }
    }
}

/// Where sentences and paragraphs of a text begin and end.
struct Bounds<'a> {
    text: &'a [u8],
    is_json: bool,
}

impl Bounds<'_> {
    /// The beginning of the sentence around an index, not before `least`; the index itself, if that is too far away.
    fn sentence(&self, at: usize, least: usize, work: &mut Work) -> usize {
        let mut start = at;
        while start > least && at - start < BACK {
            work.add(1);
            let (before, next) = (self.text[start - 1], self.text[start]);
            if before == b'\n' || (matches!(before, b'.' | b'!' | b'?') && next.is_ascii_whitespace()) {
                return self.skip_blanks(start, at);
            }
            if self.is_json && (before == b'"' || self.text[..start].ends_with(b"\\n")) {
                return start;
            }
            start -= 1;
        }
        if start == least {
            self.skip_blanks(start, at)
        } else {
            at
        }
    }

    fn skip_blanks(&self, start: usize, end: usize) -> usize {
        start + self.text[start..end].iter().take_while(|b| b.is_ascii_whitespace()).count()
    }

    /// The end of the paragraph around an index. Up to `taken` it is known to go on.
    fn paragraph(&self, at: usize, taken: usize, work: &mut Work) -> usize {
        let mut end = at.max(taken);
        let (mut lines, mut ink) = (0, end);
        while end < self.text.len() {
            work.add(1);
            let b = self.text[end];
            let is_blank = b.is_ascii_whitespace();
            if (self.is_json && self.ends_string(end)) || (end - at > 2 * AHEAD && self.may_cut(end)) {
                return end;
            }
            if lines == 2 || (end - at > AHEAD && is_blank) {
                return ink;
            }
            if b == b'\n' {
                lines += 1;
            } else if !is_blank {
                (lines, ink) = (0, end + 1);
            }
            end += 1;
        }
        ink
    }

    /// Reports whether a string ends at an index, or a paragraph in it.
    fn ends_string(&self, at: usize) -> bool {
        match self.text[at] {
            b'"' => self.text[..at].iter().rev().take(64).take_while(|b| **b == b'\\').count() % 2 == 0,
            b'\\' => self.text[at..].starts_with(b"\\n\\n"),
            _ => false,
        }
    }

    /// Reports whether a cut at an index leaves characters, and escapes of JSON, whole.
    fn may_cut(&self, at: usize) -> bool {
        self.text[at] & 0xC0 != 0x80 && self.text[at - 1] != b'\\'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The passages that a word ATTACK makes, in brackets.
    fn marked(text: &str) -> String {
        let findings = text.match_indices("ATTACK").map(|(at, word)| Finding {
            range: at..at + word.len(),
            category: Category::Override,
            severity: Severity::High,
        });
        let mut out = text.to_owned();
        for passage in passages(text, findings.collect(), &mut Work::default()).iter().rev() {
            out.insert_str(passage.range.end, &format!("]{}", passage.count));
            out.insert(passage.range.start, '[');
        }
        out
    }

    #[test]
    fn a_passage_is_from_the_sentence_to_the_end_of_the_paragraph() {
        for (text, want) in [
            ("ATTACK", "[ATTACK]1"),
            ("All is well. Now ATTACK! Go.\nDo it.\n \nMore.", "All is well. [Now ATTACK! Go.\nDo it.]1\n \nMore."),
            ("e.g. 1.5 ATTACK\n", "e.g. [1.5 ATTACK]1\n"),
            ("one\nATTACK\nATTACK\n\ntwo", "one\n[ATTACK\nATTACK]1\n\ntwo"),
            ("ATTACK\n\n  ATTACK\n\nx", "[ATTACK\n\n  ATTACK]2\n\nx"),
            ("ATTACK\n\nwell\n\nATTACK", "[ATTACK]1\n\nwell\n\n[ATTACK]1"),
            (r#"{"a": "Hi. ATTACK \"x\" now", "b": "c"}"#, r#"{"a": "Hi. [ATTACK \"x\" now]1", "b": "c"}"#),
            (r#"["Hi.\nATTACK\n\nBye"]"#, r#"["Hi.\n[ATTACK]1\n\nBye"]"#),
        ] {
            assert_eq!(marked(text), want);
        }
    }

    #[test]
    fn passages_are_bounded() {
        let far = format!("{} ATTACK {}", "é ".repeat(500), "é ".repeat(5000));
        let text = marked(&far);
        let at = text.find("[ATTACK").expect("it does not begin with the sentence");
        assert_eq!(at, 1501);
        let end = text.find("]1").unwrap() - text.find("[ATTACK").unwrap();
        assert!((AHEAD..AHEAD + 20).contains(&end), "{end}");
        let end = marked(&format!("ATTACK{}", "é".repeat(5000))).find("]1").unwrap();
        assert!((2 * AHEAD..2 * AHEAD + 20).contains(&end), "{end}");
    }
}
