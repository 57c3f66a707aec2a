//! What the model and the user are told.

use crate::config::Config;
use crate::money::Micros;
use crate::spent::Used;
use agenthost::{Map, Raw};

/// Stands in the system prompt. It says no numbers that change from call to call: providers cache the prompt.
pub fn warning(close: &[Used], config: &Config) -> String {
    let names: Vec<&str> = close.iter().map(name).collect();
    let percent = (config.warn_at * 100.0).round() as u64;
    format!(
        "[budget: at least {percent}% of {} is used. When all is used you are stopped without another word. Make only \
         the tool calls that you cannot do without, and answer soon.]",
        names.join(" and of ")
    )
}

fn name(used: &Used) -> &'static str {
    match (used.scope, used.is_money) {
        ("run", false) => "the tokens for this task",
        ("run", true) => "the money for this task",
        (_, false) => "the tokens for this conversation",
        (_, true) => "the money for this conversation",
    }
}

/// Ends the run.
pub fn ending(exceeded: &[Used], config: &Config) -> String {
    let all: Vec<String> = exceeded.iter().map(|used| said(used, &config.currency)).collect();
    format!("Budget exceeded: {}", all.join(", "))
}

fn said(budget: &Used, currency: &str) -> String {
    let Used { scope, used, limit, .. } = *budget;
    if budget.is_money {
        format!("{scope} money ({}/{} {currency})", Micros(used), Micros(limit))
    } else {
        format!("{scope} tokens ({used}/{limit})")
    }
}

/// The same for programs.
pub fn data(exceeded: &[Used]) -> Raw {
    let of = |budget: &Used| {
        Map::new()
            .with("scope", budget.scope)
            .with("unit", if budget.is_money { "money" } else { "tokens" })
            .with("used", budget.used)
            .with("limit", budget.limit)
    };
    Raw::array(exceeded.iter().map(of))
}
