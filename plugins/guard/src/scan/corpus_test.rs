//! The corpora: every attack is found, and nothing in honest texts.

use super::{Options, Scanner};

/// The samples of a corpus: title and text.
fn samples(corpus: &str) -> Vec<(String, String)> {
    let mut samples: Vec<(String, String)> = Vec::new();
    for line in corpus.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            samples.push((title.to_owned(), String::new()));
        } else if let Some((_, text)) = samples.last_mut() {
            text.push_str(&unescaped(line));
            text.push('\n');
        }
    }
    samples
}

/// A line with its characters in place of their escapes.
fn unescaped(line: &str) -> String {
    let mut parts = line.split("\\u{");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once('}').unwrap();
        out.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
        out.push_str(rest);
    }
    out
}

#[test]
fn attacks_are_found() {
    let attacks = samples(include_str!("../../testdata/corpus/attacks.txt"));
    assert!(attacks.len() >= 100, "{} samples", attacks.len());
    let all = Scanner::new(Options::default());
    let mut missed = Vec::new();
    for (title, text) in &attacks {
        let (category, _) = title.split_once(':').unwrap();
        let is_found = all.findings(text).iter().any(|f| f.category.as_str() == category);
        if !is_found || all.passages(text).is_empty() {
            missed.push(title);
        }
    }
    assert!(missed.is_empty(), "missed: {missed:#?}");
}

#[test]
fn attacks_are_found_inside_of_long_texts() {
    let scanner = Scanner::new(Options::default());
    let honest: String =
        samples(include_str!("../../testdata/corpus/benign.txt")).into_iter().map(|s| s.1 + "\n\n").collect();
    for (title, text) in samples(include_str!("../../testdata/corpus/attacks.txt")) {
        let long = format!("{honest}{text}\n\n{honest}");
        let passages = scanner.passages(&long);
        assert!(!passages.is_empty(), "{title}");
        for passage in passages {
            let is_inside = passage.range.start >= honest.len() && passage.range.end <= honest.len() + text.len();
            assert!(is_inside, "{title}: {:?}", &long[passage.range]);
        }
    }
}

#[test]
fn honest_texts_pass() {
    let honest = samples(include_str!("../../testdata/corpus/benign.txt"));
    assert!(honest.len() >= 60, "{} samples", honest.len());
    let scanner = Scanner::new(Options::default());
    let mut wrong = Vec::new();
    for (title, text) in &honest {
        for passage in scanner.passages(text) {
            wrong.push(format!("{title}: {:?} {:?}", passage.category, &text[passage.range]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is cut out is gone: a second look finds nothing more. That holds for what the plugin says itself, too.
#[test]
fn nothing_is_left_after_a_cut() {
    let scanner = Scanner::new(Options::default());
    for (title, text) in samples(include_str!("../../testdata/corpus/attacks.txt")) {
        let mut cut = text.clone();
        for passage in scanner.passages(&text).iter().rev() {
            cut.replace_range(passage.range.clone(), &crate::notice::quarantined(passage));
        }
        assert_eq!(scanner.passages(&cut), [], "{title}: {cut}");
    }
}
