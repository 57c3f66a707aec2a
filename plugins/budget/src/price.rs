use crate::config::ModelPrice;
use crate::money::Micros;
use std::collections::BTreeMap;

/// What a model costs, in millionths of the currency per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    input: u64,
    output: u64,
}

impl Price {
    /// What so many tokens cost, rounded up to a millionth.
    pub fn cost(&self, input: u64, output: u64) -> Micros {
        let cost = input.saturating_mul(self.input).saturating_add(output.saturating_mul(self.output));
        Micros(cost.div_ceil(1_000_000))
    }
}

/// The prices of models, by name or pattern.
pub struct Prices(Vec<(String, Price)>);

impl Prices {
    pub fn new(prices: &BTreeMap<String, ModelPrice>) -> Self {
        let price = |p: &ModelPrice| Price { input: Micros::of(p.input).0, output: Micros::of(p.output).0 };
        Prices(prices.iter().map(|(pattern, p)| (pattern.clone(), price(p))).collect())
    }

    /// The price of a model: that of its name, or of the pattern that says most of it, or none.
    pub fn of(&self, model: &str) -> Option<Price> {
        let fitting = self.0.iter().filter(|(pattern, _)| pattern == model || matches(pattern, model));
        let specific = |pattern: &str| (pattern == model, pattern.len() - pattern.matches('*').count());
        fitting.max_by_key(|(pattern, _)| specific(pattern)).map(|(_, price)| *price)
    }
}

/// Reports whether a text is like a pattern, in which * stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(start) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    true
}
