//! One text on its way through the automaton.

use super::finding::{Category, Finding, Severity};
use super::fold::Folded;
use super::phrases::{Phrases, UNKNOWN};
use super::words::{Kind, Token, Words};
use super::work::Work;
use std::ops::Range;

/// How many words back the beginning of a match is looked for.
const MEMORY: usize = 64;

/// So many single letters in a row may be words whose letters stand apart.
const LEAST_SPACED: usize = 6;

/// A word of so many letters may be several without blanks between them.
const LEAST_JOINED: usize = 14;

/// So many single letters in a row are read at once.
const MOST_SPACED: usize = 256;

/// A word that was fed.
#[derive(Clone, Copy, Debug, Default)]
struct Fed {
    class: u16,
    begins: bool, // a sentence ends before it
    start: u32,
    end: u32,
}

/// What is known of a text so far.
pub struct Pass<'a> {
    phrases: &'a Phrases,
    reached: Vec<u64>, // by lane: the elements up to which patterns match
    active: u64,       // the lanes with such elements
    memory: [Fed; MEMORY],
    fed: usize,                     // how many words
    spaced: Vec<(u8, usize, bool)>, // single letters: where they are, and whether a sentence begins there
    line: Option<Token>,            // a beginning of a line, which counts if no single letter goes on there
    findings: Vec<Finding>,         // ranges are of the folded text
    pub work: Work,
}

impl<'a> Pass<'a> {
    /// Begins with a text.
    pub fn new(phrases: &'a Phrases) -> Self {
        Pass {
            phrases,
            reached: vec![0; phrases.lanes.len()],
            active: 0,
            memory: [Fed::default(); MEMORY],
            fed: 0,
            spaced: Vec::new(),
            line: None,
            findings: Vec::new(),
            work: Work::default(),
        }
    }

    /// Finds what patterns match. The ranges are of the source.
    pub fn run(mut self, folded: &Folded, source: &str) -> (Vec<Finding>, Work) {
        let mut words = Words::new(&folded.text);
        while let Some(token) = words.next(&mut self.work) {
            match token.kind {
                Kind::Line => self.line = Some(token),
                Kind::Colon => {
                    self.flush();
                    self.feed(self.phrases.colon, token.range, false);
                }
                Kind::Word => self.word(&token, &words.letters),
            }
        }
        self.flush();
        for finding in &mut self.findings {
            finding.range = folded.source(finding.range.clone(), source);
        }
        (self.findings, self.work)
    }

    fn word(&mut self, token: &Token, letters: &[u8]) {
        if let &[letter @ (b'a'..=b'z' | b'0'..=b'9')] = letters {
            if self.spaced.is_empty() {
                self.flush_line();
            }
            self.line = None;
            self.spaced.push((letter, token.range.start, token.begins));
            if self.spaced.len() == MOST_SPACED {
                self.flush();
            }
            return;
        }
        self.flush();
        self.flush_line();
        let class = self.class(letters);
        let is_joined = class == UNKNOWN
            && letters.len() >= LEAST_JOINED
            && letters.len() == token.range.len()
            && letters.iter().all(|b| leet(*b, b'i').is_ascii_lowercase());
        if is_joined {
            self.split(letters, token.begins, |at| token.range.start + at);
        } else {
            self.feed(class, token.range.clone(), token.begins);
        }
    }

    fn flush_line(&mut self) {
        if let Some(token) = self.line.take() {
            self.feed(self.phrases.line, token.range, token.begins);
        }
    }

    /// Feeds the single letters: as words, if there are enough of them that they may be some.
    fn flush(&mut self) {
        if self.spaced.is_empty() {
            return;
        }
        let spaced = std::mem::take(&mut self.spaced);
        if spaced.len() >= LEAST_SPACED {
            let letters: Vec<u8> = spaced.iter().map(|(letter, ..)| *letter).collect();
            self.split(&letters, spaced[0].2, |at| spaced[at].1);
        } else {
            for (letter, at, begins) in &spaced {
                let class = self.phrases.class(&[*letter], &mut self.work);
                self.feed(class, *at..at + 1, *begins);
            }
        }
        self.spaced = spaced;
        self.spaced.clear();
    }

    /// Feeds the words that letters consist of, the longest ones. What lies between them is an unknown word.
    fn split(&mut self, letters: &[u8], mut begins: bool, place: impl Fn(usize) -> usize) {
        let letters: Vec<u8> = letters.iter().map(|b| leet(*b, b'i')).collect();
        let (mut at, mut unknown) = (0, 0);
        while at < letters.len() {
            let Some((length, class)) = self.phrases.longest(&letters[at..], &mut self.work) else {
                at += 1;
                continue;
            };
            if unknown < at {
                self.feed(UNKNOWN, place(unknown)..place(at - 1) + 1, std::mem::take(&mut begins));
            }
            self.feed(class, place(at)..place(at + length - 1) + 1, std::mem::take(&mut begins));
            at += length;
            unknown = at;
        }
        if unknown < at {
            self.feed(UNKNOWN, place(unknown)..place(at - 1) + 1, begins);
        }
    }

    /// The class of a word, also if digits and signs stand for letters, or before, between or behind words.
    fn class(&mut self, letters: &[u8]) -> u16 {
        let class = self.phrases.class(letters, &mut self.work);
        let is_plain = letters.iter().all(|b| b.is_ascii_lowercase() || *b >= 0x80);
        if class != UNKNOWN || is_plain || letters.len() > 24 {
            return class;
        }
        for one in [b'i', b'l'] {
            let meant: Vec<u8> = letters.iter().map(|b| leet(*b, one)).collect();
            let class = self.phrases.class(&meant, &mut self.work);
            if class != UNKNOWN {
                return class;
            }
        }
        let after_sign = letters.rsplit(|b| b.is_ascii_punctuation()).next().unwrap_or_default();
        let is_digit = |b: &u8| b.is_ascii_digit();
        let start = after_sign.iter().position(|b| !is_digit(b)).unwrap_or(after_sign.len());
        let end = after_sign.iter().rposition(|b| !is_digit(b)).map_or(start, |last| last + 1);
        self.phrases.class(&after_sign[start..end], &mut self.work)
    }

    /// Feeds a word. Beginnings of lines and colons are passed over by patterns that do not ask for them.
    fn feed(&mut self, class: u16, range: Range<usize>, begins: bool) {
        let is_mark = self.phrases.is_mark(class);
        self.memory[self.fed % MEMORY] = Fed { class, begins, start: range.start as u32, end: range.end as u32 };
        self.fed += 1;
        let mut lanes = self.phrases.starts(class) | self.active;
        while lanes != 0 {
            let number = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            self.feed_lane(number, class, is_mark, begins);
        }
    }

    fn feed_lane(&mut self, number: usize, class: u16, is_mark: bool, begins: bool) {
        let lane = self.phrases.lanes[number];
        let mut before = self.reached[number];
        if begins {
            before &= !lane.loose;
        }
        let next = lane.follow(before, &mut self.work);
        let mut matched = next & self.phrases.mask(class, number);
        let mut reached = matched;
        if is_mark {
            matched &= !before;
            reached |= if class == self.phrases.colon { before & !lane.strict } else { before };
        } else {
            reached |= next & lane.any;
        }
        self.reached[number] = reached;
        self.active = self.active & !(1 << number) | u64::from(reached != 0) << number;
        let mut ends = matched & lane.last;
        while ends != 0 {
            self.found(number, ends.trailing_zeros());
            ends &= ends - 1;
        }
    }

    /// Notes that a pattern ends with the last word that was fed.
    fn found(&mut self, lane: usize, bit: u32) {
        let place = *self.phrases.ending(lane, bit);
        let (start, is_negated) = self.start(lane, place.first, bit);
        let mut severity = place.severity;
        if is_negated && place.category == Category::Override {
            severity = Severity::Low;
        }
        let end = self.memory[(self.fed - 1) % MEMORY].end as usize;
        self.findings.push(Finding { range: start..end, category: place.category, severity });
    }

    /// Where the shortest match begins that ends with this bit, and whether a negation stands before it.
    fn start(&mut self, number: usize, first: u32, bit: u32) -> (usize, bool) {
        let lane = &self.phrases.lanes[number];
        let own = (u64::MAX << first) & (u64::MAX >> (63 - bit));
        let mut expected = 1 << bit;
        let oldest = self.fed.saturating_sub(MEMORY);
        for n in (oldest..self.fed).rev() {
            let word = self.memory[n % MEMORY];
            let is_mark = self.phrases.is_mark(word.class);
            let mut matched = expected & self.phrases.mask(word.class, number);
            if !is_mark {
                matched |= expected & lane.any;
            }
            if matched & (1 << first) != 0 {
                let before = n.checked_sub(1).filter(|b| *b >= oldest).map(|b| self.memory[b % MEMORY].class);
                let is_negated = !word.begins && before.is_some_and(|class| self.phrases.negates(class));
                return (word.start as usize, is_negated);
            }
            let before = lane.precede(matched, &mut self.work) & own;
            expected = if is_mark { expected | before } else { before };
        }
        (self.memory[oldest % MEMORY].start as usize, false)
    }
}

/// The letter that a digit or sign may stand for.
fn leet(b: u8, one: u8) -> u8 {
    match b {
        b'0' => b'o',
        b'1' => one,
        b'!' => b'i',
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'5' | b'$' => b's',
        b'7' => b't',
        _ => b,
    }
}
