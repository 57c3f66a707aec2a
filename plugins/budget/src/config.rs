use crate::money::Micros;
use agenthost::{Error, Result, Schema};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the operator sets.
#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What models cost, by their names; * in a name stands for anything.
    #[serde(default)]
    pub prices: BTreeMap<String, ModelPrice>,
    /// What prices and budgets are in; a text.
    #[schema(default = "USD")]
    pub currency: String,
    /// What a run may use.
    pub run: Option<Limits>,
    /// What a thread may use, all its runs together.
    pub thread: Option<Limits>,
    /// From which share of a budget on the model is told; 1: never.
    #[schema(minimum = 0, maximum = 1, default = 0.8)]
    pub warn_at: f64,
    /// What happens when a budget is used up.
    #[schema(default = "end")]
    pub exit_behavior: ExitBehavior,
    /// What happens when a model has no price.
    #[schema(default = "ignore")]
    pub unknown_model: UnknownModel,
}

/// What a model costs, per million tokens.
#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// Tokens of the request.
    #[schema(minimum = 0)]
    pub input: f64,
    /// Tokens of the answer.
    #[schema(minimum = 0)]
    pub output: f64,
}

/// A budget.
#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Tokens of requests and answers together.
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    #[schema(minimum = 0)]
    pub money: Option<f64>,
}

/// end ends the run with a message; error fails it.
#[derive(Clone, Copy, Deserialize, PartialEq, Schema)]
#[serde(rename_all = "lowercase")]
pub enum ExitBehavior {
    End,
    Error,
}

/// ignore counts only the tokens of a model without a price; error fails its calls.
#[derive(Clone, Copy, Deserialize, PartialEq, Schema)]
#[serde(rename_all = "lowercase")]
pub enum UnknownModel {
    Ignore,
    Error,
}

impl Config {
    pub fn check(&self) -> Result<()> {
        let budgets = [("run", &self.run), ("thread", &self.thread)];
        let mut limited = false;
        for (scope, limits) in budgets.into_iter().filter_map(|(scope, limits)| Some((scope, limits.as_ref()?))) {
            limited |= limits.tokens.is_some() || limits.money.is_some();
            if limits.money.is_some() && self.prices.is_empty() {
                return Err(Error::new("config", format!("{scope}.money needs prices")));
            }
        }
        if !limited {
            return Err(Error::new("config", "there is no budget: give tokens or money of run or thread"));
        }
        Ok(())
    }
}

impl Limits {
    /// The limit of money.
    pub fn micros(&self) -> Option<u64> {
        self.money.map(|money| Micros::of(money).0)
    }
}
