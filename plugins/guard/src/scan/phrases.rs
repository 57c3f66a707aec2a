//! All patterns as one automaton, which a text is fed to word by word.
//!
//! Each element of each pattern is a bit: set, if the pattern matches up to there. The bits of a pattern are neighbours
//! in one lane of 64. For every word that occurs in a pattern it is known at which places it may stand: that is its
//! class. The work for a word is bounded by the number of lanes, whatever the text.

use super::finding::{Category, Severity};
use super::pattern::Pattern;
use super::trie::Trie;
use super::work::Work;

/// The class of all words that are in no pattern.
pub const UNKNOWN: u16 = 0;

/// How many lanes there are at the most: their set is a word of the machine.
pub const MOST_LANES: usize = 64;

/// Words that turn what follows into its opposite.
const NEGATIONS: [&str; 8] = ["not", "never", "dont", "cannot", "cant", "wont", "shouldnt", "mustnt"];

/// A pattern with what it says about a text.
#[derive(Debug)]
pub struct Phrase {
    pub pattern: Pattern,
    pub category: Category,
    pub severity: Severity,
}

/// Where a pattern is in the automaton, and what it says.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub lane: usize,
    pub first: u32,
    pub last: u32,
    pub category: Category,
    pub severity: Severity,
}

/// Sets of elements in one lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lane {
    /// With which patterns begin.
    pub first: u64,
    /// With which they end.
    pub last: u64,
    /// That may be missing.
    pub optional: u64,
    /// That any word fits.
    pub any: u64,
    /// Of patterns that have such elements: they do not reach over the end of a sentence.
    pub loose: u64,
    /// Of patterns that have a colon: they match no other one.
    pub strict: u64,
}

impl Lane {
    /// The elements that may come next, where those of `reached` have matched.
    pub fn follow(&self, reached: u64, work: &mut Work) -> u64 {
        let mut next = (reached << 1) | self.first;
        loop {
            work.add(1);
            let more = ((next & self.optional) << 1) & !next;
            if more == 0 {
                return next;
            }
            next |= more;
        }
    }

    /// The elements that may have come before those of `matched`.
    pub fn precede(&self, matched: u64, work: &mut Work) -> u64 {
        let mut before = matched >> 1;
        loop {
            work.add(1);
            let more = ((before & self.optional) >> 1) & !before;
            if more == 0 {
                return before;
            }
            before |= more;
        }
    }
}

/// The automaton.
#[derive(Debug)]
pub struct Phrases {
    pub lanes: Vec<Lane>,
    places: Vec<Place>, // in the order of lanes and bits
    trie: Trie,
    whole: Vec<u16>,    // by node: the class of the word that ends there
    open: Vec<u16>,     // and of those that only begin so
    is_word: Vec<bool>, // and whether a pattern has that word
    masks: Vec<u64>,    // by class, and by lane: the places where its words may stand
    starts: Vec<u64>,   // by class: the lanes in which patterns begin with its words
    negations: Vec<u16>,
    /// The classes of `^` and `:`.
    pub line: u16,
    pub colon: u16,
}

/// Places where words of one node of the trie may stand.
#[derive(Clone, Debug, Default)]
struct Uses {
    whole: Vec<(usize, u32)>,
    prefix: Vec<(usize, u32)>,
}

impl Phrases {
    /// Builds the automaton.
    ///
    /// Panics if the patterns have more elements than [`MOST_LANES`] lanes hold; their number is bounded where they are
    /// read.
    pub fn new(phrases: &[Phrase]) -> Self {
        let mut all = Phrases {
            lanes: Vec::new(),
            places: Vec::new(),
            trie: Trie::default(),
            whole: Vec::new(),
            open: Vec::new(),
            is_word: Vec::new(),
            masks: Vec::new(),
            starts: Vec::new(),
            negations: Vec::new(),
            line: UNKNOWN,
            colon: UNKNOWN,
        };
        let mut uses: Vec<Uses> = Vec::new();
        let mut bit = 64;
        for phrase in phrases {
            let length = phrase.pattern.elements.len() as u32;
            if bit + length > 64 {
                all.lanes.push(Lane::default());
                bit = 0;
            }
            all.add(phrase, bit, &mut uses);
            bit += length;
        }
        assert!(all.lanes.len() <= MOST_LANES, "the patterns have too many words");
        let marked = NEGATIONS.iter().chain(&["^", ":"]); // words that have a class of their own in any case
        let marks: Vec<u16> = marked.map(|word| all.trie.insert(word.as_bytes())).collect();
        uses.resize_with(all.trie.len(), Uses::default);
        all.classify(&uses, &marks);
        let mut classes: Vec<u16> = marks.iter().map(|node| all.whole[*node as usize]).collect();
        (all.line, all.colon) = (classes[NEGATIONS.len()], classes[NEGATIONS.len() + 1]);
        classes.truncate(NEGATIONS.len());
        all.negations = classes;
        all
    }

    /// Gives a phrase its bits in the last lane.
    fn add(&mut self, phrase: &Phrase, first: u32, uses: &mut Vec<Uses>) {
        let number = self.lanes.len() - 1;
        let lane = &mut self.lanes[number];
        let elements = &phrase.pattern.elements;
        let last = first + elements.len() as u32 - 1;
        lane.first |= 1 << first;
        lane.last |= 1 << last;
        let is_loose = elements.iter().any(|e| e.any);
        let is_strict = elements.iter().any(|e| e.words.iter().any(|w| w.letters == b":"));
        for (bit, element) in (first..).zip(elements) {
            lane.optional |= u64::from(element.optional) << bit;
            lane.any |= u64::from(element.any) << bit;
            lane.loose |= u64::from(is_loose) << bit;
            lane.strict |= u64::from(is_strict) << bit;
            for word in &element.words {
                let node = self.trie.insert(&word.letters) as usize;
                if uses.len() <= node {
                    uses.resize_with(node + 1, Uses::default);
                }
                let list = if word.is_prefix { &mut uses[node].prefix } else { &mut uses[node].whole };
                list.push((number, bit));
            }
        }
        self.places.push(Place { lane: number, first, last, category: phrase.category, severity: phrase.severity });
    }

    /// Gives every node its classes: parents come before their children.
    fn classify(&mut self, uses: &[Uses], marks: &[u16]) {
        let count = self.trie.len();
        let mut parent = vec![0; count];
        self.trie.each(|node, child| parent[child as usize] = node);
        self.add_class(None, &[]); // UNKNOWN
        (self.whole, self.open, self.is_word) = (vec![UNKNOWN; count], vec![UNKNOWN; count], vec![false; count]);
        for node in 1..count {
            let Uses { whole, prefix } = &uses[node];
            let mut open = self.open[parent[node] as usize];
            if !prefix.is_empty() {
                open = self.add_class(Some(open), prefix);
            }
            let is_marked = marks.contains(&(node as u16));
            self.whole[node] = if whole.is_empty() && !is_marked { open } else { self.add_class(Some(open), whole) };
            self.open[node] = open;
            self.is_word[node] = !(whole.is_empty() && prefix.is_empty());
        }
    }

    /// Makes a class of the places of another one and of these.
    fn add_class(&mut self, base: Option<u16>, places: &[(usize, u32)]) -> u16 {
        let class = self.starts.len();
        let lanes = self.lanes.len();
        match base {
            Some(base) => self.masks.extend_from_within(base as usize * lanes..(base as usize + 1) * lanes),
            None => self.masks.resize(lanes, 0),
        }
        for (lane, bit) in places {
            self.masks[class * lanes + lane] |= 1 << bit;
        }
        let begins = |l: &usize| self.masks[class * lanes + l] & self.lanes[*l].first != 0;
        let starts = (0..lanes).filter(begins).fold(0, |set, l| set | 1 << l);
        self.starts.push(starts);
        class as u16
    }

    /// The class of a word.
    pub fn class(&self, word: &[u8], work: &mut Work) -> u16 {
        let (node, taken) = self.trie.walk(word, work);
        if taken == word.len() {
            self.whole[node as usize]
        } else {
            self.open[node as usize]
        }
    }

    /// The longest word of a pattern that the letters begin with: its length and class.
    pub fn longest(&self, letters: &[u8], work: &mut Work) -> Option<(usize, u16)> {
        let (mut node, mut found) = (0, None);
        for (n, &byte) in letters.iter().enumerate() {
            match self.trie.step(node, byte, work) {
                Some(child) => node = child,
                None => break,
            }
            if self.is_word[node as usize] {
                found = Some((n + 1, self.whole[node as usize]));
            }
        }
        found
    }

    /// The places of a class in a lane.
    pub fn mask(&self, class: u16, lane: usize) -> u64 {
        self.masks[class as usize * self.lanes.len() + lane]
    }

    /// The lanes in which patterns begin with words of a class.
    pub fn starts(&self, class: u16) -> u64 {
        self.starts[class as usize]
    }

    /// The pattern that ends with this bit of a lane.
    pub fn ending(&self, lane: usize, bit: u32) -> &Place {
        let at = self.places.partition_point(|p| (p.lane, p.last) < (lane, bit));
        &self.places[at]
    }

    /// Reports whether a class is that of the beginning of a line, or of a colon.
    pub fn is_mark(&self, class: u16) -> bool {
        class == self.line || class == self.colon
    }

    /// Reports whether a word of this class turns what follows into its opposite.
    pub fn negates(&self, class: u16) -> bool {
        self.negations.contains(&class)
    }
}
