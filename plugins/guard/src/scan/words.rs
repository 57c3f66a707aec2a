//! Splits a folded text into words.

use super::work::Work;
use std::ops::Range;

/// The longest word that is looked at; a longer one is not a word of a pattern.
pub const LONGEST: usize = 128;

/// The longest name of a tag that is one of HTML: `</blockquote>`.
const LONGEST_TAG: usize = 11;

/// What a text consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word.
    Word,
    /// The beginning of a line, before its first word.
    Line,
    /// A colon directly behind a word.
    Colon,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub range: Range<usize>,
    /// A sentence ends before it.
    pub begins: bool,
}

/// The words of a folded text. Their letters are in `letters` until the next one.
pub struct Words<'a> {
    text: &'a [u8],
    at: usize,
    line: bool,   // a line begins at `at`, or before it with nothing but separators since
    begins: bool, // and a sentence
    /// The word that was returned last, without apostrophes and what hyphenates it. Of a word that is longer than
    /// [`LONGEST`] there is none.
    pub letters: Vec<u8>,
}

impl<'a> Words<'a> {
    /// The words of a text.
    pub fn new(text: &'a [u8]) -> Self {
        Words { text, at: 0, line: true, begins: true, letters: Vec::with_capacity(LONGEST) }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or_default()
    }

    /// The next part.
    pub fn next(&mut self, work: &mut Work) -> Option<Token> {
        while self.at < self.text.len() {
            work.add(1);
            let at = self.at;
            if self.is_word(at) {
                if std::mem::take(&mut self.line) {
                    return Some(Token { kind: Kind::Line, range: at..at, begins: true });
                }
                let range = self.word(work);
                return Some(Token { kind: Kind::Word, range, begins: std::mem::take(&mut self.begins) });
            }
            if let Some(length) = tag(&self.text[at..], work) {
                self.at += length;
                continue;
            }
            self.at += 1;
            match self.text[at] {
                b':' if at > 0 && is_letter(self.text[at - 1]) => {
                    return Some(Token { kind: Kind::Colon, range: at..self.at, begins: false });
                }
                b'\n' => {
                    self.begins |= self.line;
                    self.line = true;
                }
                b'.' | b'!' | b'?' | b';' | b'{' | b'}' => self.begins = true,
                _ => {}
            }
        }
        None
    }

    /// Reports whether a word begins, or goes on, at an index.
    fn is_word(&self, at: usize) -> bool {
        match self.byte(at) {
            b'@' | b'$' | b'!' if self.byte(at + 1).is_ascii_alphabetic() => true,
            b'$' => at > 0 && self.text[at - 1].is_ascii_alphabetic(),
            b => is_letter(b),
        }
    }

    /// Reads a word.
    fn word(&mut self, work: &mut Work) -> Range<usize> {
        let start = self.at;
        self.letters.clear();
        if let Some(length) = ideograph(&self.text[start..]) {
            self.letters.extend_from_slice(&self.text[start..start + length]);
            self.at += length;
            return start..self.at;
        }
        loop {
            let plain = self.text[self.at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
            work.add(plain + 1);
            if self.at + plain - start <= LONGEST {
                self.letters.extend_from_slice(&self.text[self.at..self.at + plain]);
            }
            self.at += plain;
            let b = self.byte(self.at);
            if self.is_word(self.at) {
                if b >= 0x80 && ideograph(&self.text[self.at..]).is_some() {
                    break;
                }
                if self.at - start <= LONGEST {
                    self.letters.push(b);
                }
                self.at += 1;
            } else if b == b'\'' && is_letter(self.byte(self.at + 1)) {
                self.at += 1;
            } else if self.text[self.at..].starts_with(b"-\n") && self.byte(self.at + 2).is_ascii_alphabetic() {
                self.at += 2;
            } else {
                break;
            }
        }
        if self.at - start > LONGEST {
            self.letters.clear();
        }
        start..self.at
    }
}

/// The length of a tag of HTML that a text begins with, if it has no attributes: it does not part the words around it.
fn tag(text: &[u8], work: &mut Work) -> Option<usize> {
    if text[0] != b'<' {
        return None;
    }
    let inside = |b: &u8| b.is_ascii_alphanumeric() || *b == b'/';
    let length = text[1..].iter().take(LONGEST_TAG + 1).take_while(|b| inside(b)).count();
    work.add(length);
    (length > 0 && text.get(length + 1) == Some(&b'>')).then_some(length + 2)
}

fn is_letter(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b >= 0x80
}

/// The length of the ideograph or kana that a text begins with: each is a word.
fn ideograph(text: &[u8]) -> Option<usize> {
    match *text {
        [0xE2, 0xBA..=0xBF, ..] | [0xE3, 0x81..=0x83 | 0x90..=0xBF, ..] | [0xE4..=0xE9 | 0xEF, ..] => Some(3),
        [0xF0, 0xA0..=0xB3, ..] => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::fold::fold;

    fn split(text: &str) -> Vec<String> {
        let text = fold(text);
        let mut words = Words::new(&text);
        let mut all = Vec::new();
        while let Some(token) = words.next(&mut Work::default()) {
            all.push(match token.kind {
                Kind::Word => String::from_utf8(words.letters.clone()).unwrap(),
                Kind::Line => "^".into(),
                Kind::Colon => ":".into(),
            });
        }
        all
    }

    #[test]
    fn words_are_split_where_a_reader_would() {
        for (text, want) in [
            ("Don't do-it: now!\nYes", "^ dont do it : now ^ yes"),
            ("instruc-\ntions a -\nb", "^ instructions a ^ b"),
            ("a <b>c</b> d<br/>e <i class=x>f < g> <>", "^ a c d e i class x f g"),
            ("忽略 all的", "^ 忽 略 all 的"),
            ("p@ss $ign a@ ! !gn plu$ 5$", "^ p@ss $ign a !gn plu$ 5"),
            ("\n\n> **System** : x", "^ system x"),
            ("привет", "^ npиbet"),
            ("", ""),
        ] {
            assert_eq!(split(text).join(" "), want, "{text}");
        }
    }

    #[test]
    fn a_word_that_is_too_long_has_no_letters() {
        assert_eq!(split(&"x".repeat(LONGEST)).join(""), "^".to_owned() + &"x".repeat(LONGEST));
        assert_eq!(split(&"x".repeat(LONGEST + 1)), ["^", ""]);
    }
}
