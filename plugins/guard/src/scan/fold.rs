//! Brings a text into the form that patterns are written in: lower case, plain letters in place of those that only look
//! like them, and nothing invisible.

use super::confusable::{letter_of, lower, Class};
use super::work::Work;
use std::ops::Range;

/// A folded text, which knows where in the source its bytes come from.
#[derive(Debug, Default)]
pub struct Folded {
    /// UTF-8.
    pub text: Vec<u8>,
    /// From the folded index of the first on, source indices go along with the second. Ascending; of equal first ones
    /// the last counts.
    runs: Vec<(u32, u32)>,
}

impl Folded {
    /// Folds a text of less than 4 GiB.
    pub fn new(source: &str, work: &mut Work) -> Self {
        let mut folded = Folded { text: Vec::with_capacity(source.len()), runs: vec![(0, 0)] };
        let bytes = source.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let plain = bytes[at..].iter().take_while(|b| is_plain(**b)).count();
            work.add(plain + 1);
            folded.text.extend_from_slice(&bytes[at..at + plain]);
            at += plain;
            let Some(&b) = bytes.get(at) else { break };
            if let Some((c, length)) = escaped(&bytes[at..], work) {
                at += length;
                folded.push(c, at);
            } else if b.is_ascii() {
                folded.text.push(b);
                at += 1;
            } else {
                let c = source[at..].chars().next().unwrap_or(' ');
                at += c.len_utf8();
                folded.push(c, at);
            }
        }
        folded.text.make_ascii_lowercase();
        folded
    }

    /// Appends what stands for a character that ends at a source index.
    fn push(&mut self, c: char, end: usize) {
        match letter_of(c) {
            _ if c.is_ascii() => self.text.push(c as u8),
            Class::Nothing => {}
            Class::Letter(letter) => self.text.push(letter),
            Class::Other => {
                self.text.extend_from_slice(lower(c).encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        self.align(end);
    }

    /// Notes that the next folded byte comes from this source index.
    fn align(&mut self, source: usize) {
        let folded = self.text.len();
        let (last_folded, last_source) = self.runs[self.runs.len() - 1];
        if folded as u32 - last_folded != source as u32 - last_source {
            self.runs.push((folded as u32, source as u32));
        }
    }

    /// Where in the source a range of folded bytes comes from.
    pub fn source(&self, range: Range<usize>, source: &str) -> Range<usize> {
        let start = self.index(range.start);
        let mut end = self.index(range.end.saturating_sub(1)).max(start);
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        end += source[end..].chars().next().map_or(0, char::len_utf8);
        start..end
    }

    fn index(&self, folded: usize) -> usize {
        let run = self.runs.partition_point(|(from, _)| *from as usize <= folded) - 1;
        let (from, source) = self.runs[run];
        source as usize + (folded - from as usize)
    }
}

/// Reports whether a byte stands for itself or its small letter.
fn is_plain(b: u8) -> bool {
    b.is_ascii() && !matches!(b, b'%' | b'&' | b'\\')
}

/// Names that HTML has for characters.
const ENTITIES: [(&[u8], char); 9] = [
    (b"&nbsp;", ' '),
    (b"&amp;", '&'),
    (b"&lt;", '<'),
    (b"&gt;", '>'),
    (b"&quot;", '"'),
    (b"&apos;", '\''),
    (b"&shy;", '\u{ad}'),
    (b"&zwnj;", '\u{200c}'),
    (b"&zwj;", '\u{200d}'),
];

/// The longest escape, but for its backslashes: `&#x10ffff;`.
const LONGEST_ESCAPE: usize = 10;

/// The character that a text begins with in the form of an escape, as they stand in URLs, HTML and JSON, and its
/// length.
fn escaped(text: &[u8], work: &mut Work) -> Option<(char, usize)> {
    match text[0] {
        b'%' => Some((number(text.get(1..3)?, 16)?, 3)),
        b'&' => entity(text, work),
        b'\\' => {
            let slashes = text.iter().take_while(|b| **b == b'\\').count();
            work.add(slashes);
            let (c, length) = behind_slash(&text[slashes..]).unwrap_or(('\\', 0));
            Some((c, slashes + length))
        }
        _ => None,
    }
}

/// The character that a text stands for behind a backslash, and its length.
fn behind_slash(text: &[u8]) -> Option<(char, usize)> {
    match text.first()? {
        b'n' | b'r' => Some(('\n', 1)),
        b't' => Some((' ', 1)),
        b'u' => Some((number(text.get(1..5)?, 16)?, 5)),
        _ => None,
    }
}

fn entity(text: &[u8], work: &mut Work) -> Option<(char, usize)> {
    let length = text.iter().take(LONGEST_ESCAPE).position(|b| *b == b';')? + 1;
    work.add(length);
    let c = match &text[1..length - 1] {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16),
        [b'#', digits @ ..] => number(digits, 10),
        _ => ENTITIES.iter().find(|entity| *entity.0 == text[..length]).map(|entity| entity.1),
    };
    Some((c?, length))
}

/// The character with a number: a part of a surrogate pair is one that is not known.
fn number(digits: &[u8], radix: u32) -> Option<char> {
    let all = digits.iter().try_fold(0, |sum: u32, b| Some(sum * radix + (*b as char).to_digit(radix)?));
    all.filter(|_| !digits.is_empty() && digits.len() <= 7).map(|n| char::from_u32(n).unwrap_or('\u{fffd}'))
}

/// Folds a word of a pattern.
pub fn fold(word: &str) -> Vec<u8> {
    Folded::new(word, &mut Work::default()).text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        String::from_utf8(fold(text)).unwrap()
    }

    #[test]
    fn letters_that_look_alike_are_one() {
        for (text, want) in [
            ("Ignore ALL", "ignore all"),
            ("ｉｇｎｏｒｅ　ａｌｌ", "ignore all"),
            ("𝐢𝐠𝐧𝐨𝐫𝐞 𝒂𝒍𝒍 𝓅𝓇𝑒𝓋 𝟏𝟐", "ignore all prev 12"),
            ("ⓘⓖⓝⓞⓡⓔ 🅐🅛🅛 🄰🇮", "ignore all ai"),
            ("іgnоrе аll", "ignore all"), // Cyrillic
            ("ιgnοrε", "ignore"),         // Greek
            ("ïgnörê áłł", "ignore all"),
            ("i\u{0336}g\u{0336}n\u{0301}o", "igno"),
            ("ig\u{200b}no\u{00ad}re", "ignore"),
            ("\u{E0069}\u{E0067}\u{E006E}", "ign"),
            ("ɪɢɴᴏʀᴇ", "ignore"),
            ("ignore%20all%2", "ignore all%2"),
            ("&#73;gnore&nbsp;&#x61;ll &lt; &unknown; &#x; &", "ignore all < &unknown; &#x; &"),
            (r"Hi.\nIgnore\tall\\nx \u0069\ud83d\u200b \x \", "hi.\nignore all\nx i  \\x \\"),
            ("don’t “do” it—now…", "don't \"do\" it-now."),
            ("Straße Ünï", "strase uni"),
            ("忽略。全部", "忽略.全部"),
            ("a🔥b", "a b"),
        ] {
            assert_eq!(folded(text), want, "{text}");
        }
    }

    #[test]
    fn ranges_lead_back_to_the_source() {
        let source = "x%20𝐢𝐠\u{200b}\u{200b}n ï忽ore\u{301} y";
        let folded = Folded::new(source, &mut Work::default());
        let text = std::str::from_utf8(&folded.text).unwrap();
        assert_eq!(text, "x ign i忽ore y");
        for (part, want) in [("ign", "𝐢𝐠\u{200b}\u{200b}n"), ("i忽ore", "ï忽ore"), ("x", "x"), ("y", "y"), ("n", "n")]
        {
            let at = text.find(part).unwrap();
            let range = folded.source(at..at + part.len(), source);
            assert_eq!(&source[range], want);
        }
    }
}
