//! Text that people cannot see, and that models read.

use super::confusable::is_invisible;
use super::finding::{Category, Finding, Severity};
use super::work::Work;

/// So many invisible characters in a row are no accident of layout.
const LONGEST_ACCIDENT: usize = 7;

/// The flags of parts of a country are a black flag and at most so many tags.
const LONGEST_FLAG: usize = 7;
const BLACK_FLAG: char = '\u{1F3F4}';
const CANCEL_TAG: char = '\u{E007F}';

/// A row of invisible characters.
#[derive(Default)]
struct Row {
    start: usize,
    count: usize,
    tags: usize,      // U+E0000 to U+E007F, which mirror ASCII
    selectors: usize, // U+E0100 to U+E01EF, of which a letter has one
    overrides: usize, // of the direction of writing
    embeds: usize,
    after_flag: bool,
    cancelled: bool, // the last one is U+E007F
}

impl Row {
    fn push(&mut self, c: char) {
        self.count += 1;
        self.cancelled = c == CANCEL_TAG;
        match c as u32 {
            0xE0000..=0xE007F => self.tags += 1,
            0xE0100..=0xE01EF => self.selectors += 1,
            0x202D | 0x202E => self.overrides += 1,
            0x202A | 0x202B | 0x2066..=0x2068 => self.embeds += 1,
            _ => {}
        }
    }

    fn severity(&self) -> Option<Severity> {
        let is_flag = self.after_flag && self.cancelled && self.tags <= LONGEST_FLAG && self.count == self.tags;
        if (self.tags > 0 && !is_flag) || self.selectors > 1 {
            Some(Severity::High)
        } else if self.count > LONGEST_ACCIDENT && !is_flag || self.overrides > 0 {
            Some(Severity::Medium)
        } else if self.embeds > 0 {
            Some(Severity::Low)
        } else {
            None
        }
    }
}

/// Appends the rows of invisible characters that have no honest use.
pub fn find(text: &str, findings: &mut Vec<Finding>, work: &mut Work) {
    let bytes = text.as_bytes();
    let mut row = Row::default();
    let mut previous = ' ';
    let mut at = 0;
    while at <= bytes.len() {
        if row.count == 0 {
            let plain = bytes[at..].iter().take_while(|b| b.is_ascii()).count();
            work.add(plain);
            if plain > 0 {
                (at, previous) = (at + plain, ' ');
            }
        }
        work.add(1);
        let c = text[at..].chars().next().unwrap_or(' ');
        if is_invisible(c) {
            if row.count == 0 {
                row = Row { start: at, after_flag: previous == BLACK_FLAG, ..Row::default() };
            }
            row.push(c);
        } else if row.count > 0 {
            if let Some(severity) = row.severity() {
                findings.push(Finding { range: row.start..at, category: Category::HiddenText, severity });
            }
            row = Row::default();
        }
        previous = c;
        at += c.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_judged_by_what_they_consist_of() {
        for (text, want) in [
            ("plain", None),
            ("\u{feff}begins with a mark", None),
            ("👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}", None),
            ("می\u{200c}خواهم", None),
            ("葛\u{E0101}城", None),
            ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", None),
            ("🏴 \u{E0067}\u{E007F}", Some(Severity::High)),
            ("🏴\u{E0067}\u{E0062}", Some(Severity::High)),
            ("a\u{E0067}", Some(Severity::High)),
            ("😀\u{E0101}\u{E0102}", Some(Severity::High)),
            ("\u{200b}\u{200c}\u{200b}\u{200c}\u{200b}\u{200c}\u{200b}", None),
            ("\u{200b}\u{200c}\u{200b}\u{200c}\u{200b}\u{200c}\u{200b}\u{200c}", Some(Severity::Medium)),
            ("user\u{202e}txt", Some(Severity::Medium)),
            ("\u{2067}שלום\u{2069}", Some(Severity::Low)),
            ("\u{200f}שלום", None),
        ] {
            let mut findings = Vec::new();
            find(text, &mut findings, &mut Work::default());
            assert_eq!(findings.first().map(|f| f.severity), want, "{text:?}");
        }
    }
}
