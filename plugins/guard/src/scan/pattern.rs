//! Patterns: phrases of words.
//!
//! A pattern is a sequence of words, in which stand
//!
//! * `word` for itself, in any case and whatever its letters look like;
//! * `word*` for all words that begin so;
//! * `(a|b)` for one of these words;
//! * `word?` and `(a|b)?` for a word that may be missing;
//! * `*` for up to five words;
//! * `^` for the beginning of a line, and `:` for a colon behind a word.

use super::fold::fold;
use super::words::{Kind, Words};
use super::work::Work;

/// How many words a `*` stands for at the most.
pub const GAP: usize = 5;

/// How many elements a pattern has at the most.
pub const MOST_ELEMENTS: usize = 32;

/// The least number of bytes before a `*` that ends a word.
const LEAST_PREFIX: usize = 3;

/// A phrase.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// What it consists of. The first and the last one are neither optional nor any word.
    pub elements: Vec<Element>,
}

/// One place of a phrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// One of these stands there.
    pub words: Vec<Word>,
    /// Or nothing.
    pub optional: bool,
    /// Or any word.
    pub any: bool,
}

/// A word of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Folded; `^` and `:` are themselves.
    pub letters: Vec<u8>,
    /// Words that begin so are meant as well.
    pub is_prefix: bool,
}

/// The name of a list of words, and the words: `{name}` stands for `(a|b)`.
pub type List = (&'static str, &'static str);

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::with_lists(text, &[])
    }

    /// Reads a pattern with lists that have a name.
    pub fn with_lists(text: &str, lists: &[List]) -> Result<Self, String> {
        let mut pattern = Pattern::default();
        for part in text.split_whitespace() {
            pattern.push(part, lists)?;
        }
        match (pattern.elements.first(), pattern.elements.last()) {
            (Some(first), Some(last)) if first.optional || last.optional => {
                Err("it must begin and end with a word that is required".into())
            }
            (Some(_), Some(_)) if pattern.elements.len() > MOST_ELEMENTS => {
                Err(format!("it has more than {MOST_ELEMENTS} words, of which a \"*\" counts as {GAP}"))
            }
            (Some(_), Some(_)) => Ok(pattern),
            _ => Err("it has no words".into()),
        }
    }

    fn push(&mut self, part: &str, lists: &[List]) -> Result<(), String> {
        if part == "*" {
            let any = Element { optional: true, any: true, ..Element::default() };
            self.elements.extend(std::iter::repeat_n(any, GAP));
            return Ok(());
        }
        let (part, optional) = part.strip_suffix('?').map_or((part, false), |part| (part, true));
        if let Some(alternatives) = inside(part, '(', ')').or_else(|| list(lists, part)) {
            let words = alternatives.split('|').map(one).collect::<Result<_, _>>()?;
            self.elements.push(Element { words, optional, any: false });
            return Ok(());
        }
        if part.contains(['(', ')', '|']) {
            return Err(format!("\"{part}\": alternatives are written (a|b), without blanks"));
        }
        for word in one_or_more(part)? {
            self.elements.push(Element { words: vec![word], optional, any: false });
        }
        Ok(())
    }
}

fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

fn list(lists: &[List], part: &str) -> Option<&'static str> {
    let name = inside(part, '{', '}')?;
    lists.iter().find(|list| list.0 == name).map(|list| list.1)
}

fn one(text: &str) -> Result<Word, String> {
    let mut words = one_or_more(text)?;
    match words.pop() {
        Some(word) if words.is_empty() => Ok(word),
        _ => Err(format!("\"{text}\" is not one word")),
    }
}

/// The words of a text without blanks: `role-play` are two.
fn one_or_more(text: &str) -> Result<Vec<Word>, String> {
    if text == "^" || text == ":" {
        return Ok(vec![Word { letters: text.into(), is_prefix: false }]);
    }
    let (text, is_prefix) = text.strip_suffix('*').map_or((text, false), |text| (text, true));
    if text.contains('*') {
        return Err(format!("\"{text}\": a \"*\" stands alone or at the end of a word"));
    }
    let folded = fold(text);
    let mut words = Words::new(&folded);
    let mut found = Vec::new();
    while let Some(token) = words.next(&mut Work::default()) {
        if token.kind == Kind::Word {
            if words.letters.is_empty() {
                return Err("a word is too long".into());
            }
            found.push(Word { letters: words.letters.clone(), is_prefix: false });
        }
    }
    let Some(last) = found.last_mut() else {
        return Err(format!("\"{text}\" has no letters"));
    };
    if is_prefix && last.letters.len() < LEAST_PREFIX {
        return Err(format!("\"{text}\": at least {LEAST_PREFIX} letters stand before a \"*\""));
    }
    last.is_prefix = is_prefix;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_none_are_refused() {
        for (text, says) in [
            ("", "no words"),
            ("  ", "no words"),
            ("* a", "begin and end"),
            ("a *", "begin and end"),
            ("a? b", "begin and end"),
            ("a b?", "begin and end"),
            ("!!", "no letters"),
            ("a* b", "at least 3"),
            ("ab*cd", "stands alone"),
            ("(a b)", "without blanks"),
            ("(a|b c|d)", "without blanks"),
            ("(a|)", "no letters"),
            ("(a-b|c)", "not one word"),
            ("a|b", "without blanks"),
            ("a * * * * * * * * * * * * * b", "more than 32 words"),
        ] {
            let refused = Pattern::parse(text).unwrap_err();
            assert!(refused.contains(says), "{text:?}: {refused}");
        }
        assert!(Pattern::parse(&"x".repeat(200)).unwrap_err().contains("too long"));
    }

    #[test]
    fn patterns_are_folded_as_texts_are() {
        let pattern = Pattern::parse("Role-Play ＤＯＮ’Ｔ 忽略 (Ａ|é)? instruct* : end").unwrap();
        let words: Vec<_> = pattern.elements.iter().map(|e| String::from_utf8_lossy(&e.words[0].letters)).collect();
        assert_eq!(words, ["role", "play", "dont", "忽", "略", "a", "instruct", ":", "end"]);
        assert_eq!(pattern.elements[5].words.len(), 2);
        assert!(pattern.elements[5].optional);
        assert!(pattern.elements[6].words[0].is_prefix);
    }
}
