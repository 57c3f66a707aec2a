//! Finding passages of a text that should not reach the model: prompt injection by known phrases and marks, text that
//! nobody can see, and links to where none may lead.
//!
//! The work is linear in the size of the text.

mod builtin;
mod confusable;
mod finding;
mod fold;
mod hidden;
mod marker;
mod pass;
mod passage;
mod pattern;
mod phrases;
mod trie;
mod words;
mod work;

pub use confusable::{compatible, is_invisible, lower};
pub use finding::{Category, Finding, Severity};
pub use passage::Passage;
pub use pattern::Pattern;
pub use work::Work;

use crate::url::Links;
use fold::Folded;
use marker::Markers;
use pass::Pass;
use phrases::{Phrase, Phrases};

/// What to look for.
#[derive(Debug, Default)]
pub struct Options {
    /// Finds below this one do not count.
    pub min_severity: Severity,
    /// Only these; none: all.
    pub categories: Vec<Category>,
    /// Phrases of the operator.
    pub patterns: Vec<Pattern>,
    /// Which links are allowed.
    pub links: Links,
}

/// Looks for what should not reach a model.
#[derive(Debug)]
pub struct Scanner {
    phrases: Phrases,
    markers: Markers,
    links: Links,
    min_severity: Severity,
    categories: Vec<Category>,
}

impl Scanner {
    /// A scanner with the built-in patterns and what the options say.
    pub fn new(options: Options) -> Self {
        let Options { min_severity, categories, patterns, links } = options;
        let is_wanted =
            |p: &Phrase| p.severity >= min_severity && (categories.is_empty() || categories.contains(&p.category));
        let custom = |pattern| Phrase { pattern, category: Category::Custom, severity: Severity::High };
        let phrases: Vec<Phrase> =
            builtin::phrases().chain(patterns.into_iter().map(custom)).filter(is_wanted).collect();
        Scanner { phrases: Phrases::new(&phrases), markers: Markers::default(), links, min_severity, categories }
    }

    /// The passages of a text that are to be cut out, in their order. They do not overlap.
    pub fn passages(&self, text: &str) -> Vec<Passage> {
        self.passages_and_work(text).0
    }

    fn passages_and_work(&self, text: &str) -> (Vec<Passage>, Work) {
        let (findings, mut work) = self.findings_and_work(text);
        (passage::passages(text, findings, &mut work), work)
    }

    #[cfg(test)]
    fn findings(&self, text: &str) -> Vec<Finding> {
        self.findings_and_work(text).0
    }

    fn findings_and_work(&self, text: &str) -> (Vec<Finding>, Work) {
        let mut work = Work::default();
        let folded = Folded::new(text, &mut work);
        let (mut findings, more) = Pass::new(&self.phrases).run(&folded, text);
        work.join(more);
        self.markers.find(&folded, text, &mut findings, &mut work);
        hidden::find(text, &mut findings, &mut work);
        self.links.find(text, &mut findings, &mut work);
        findings.retain(|f| self.counts(f));
        (findings, work)
    }

    fn counts(&self, finding: &Finding) -> bool {
        finding.severity >= self.min_severity
            && (self.categories.is_empty() || self.categories.contains(&finding.category))
    }
}

#[cfg(test)]
mod corpus_test;
#[cfg(test)]
mod work_test;
