use agenthost::{Error, Result, Schema};
use serde::Deserialize;

/// What the operator sets.
#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// How often a run may make the same calls in a row.
    #[schema(minimum = 2, maximum = 1000, default = 3)]
    pub max_repeats: u64,
    /// How many different steps in turn may be a loop; 1: none, only repeats are looked for.
    #[schema(minimum = 1, maximum = 16, default = 4)]
    pub max_cycle: usize,
    /// How often a run may make the same steps in turn.
    #[schema(minimum = 2, maximum = 1000, default = 3)]
    pub max_cycles: u64,
    /// Calls are the same only if their results were: a call that gets another answer is progress.
    #[schema(default = true)]
    pub same_result_only: bool,
    /// What is done about a loop.
    #[schema(default = "warn")]
    pub action: Action,
    /// Look at calls of these tools only; none: all.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Do not look at calls of these tools.
    #[serde(default)]
    pub ignore_tools: Vec<String>,
}

/// warn tells the model; stop does too, and ends the run when it goes on; error fails the run then.
#[derive(Clone, Copy, Deserialize, PartialEq, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Warn,
    Stop,
    Error,
}

impl Action {
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Warn => "warn",
            Action::Stop => "stop",
            Action::Error => "error",
        }
    }
}

impl Config {
    pub fn check(&self) -> Result<()> {
        match self.tools.iter().find(|tool| self.ignore_tools.contains(tool)) {
            Some(tool) => Err(Error::new("config", format!("\"{tool}\" is in tools and in ignore_tools"))),
            None => Ok(()),
        }
    }

    /// Reports whether calls of a tool are looked at.
    pub fn watches(&self, tool: &str) -> bool {
        (self.tools.is_empty() || self.tools.iter().any(|t| t == tool)) && !self.ignore_tools.iter().any(|t| t == tool)
    }

    /// How often steps may be made in turn, so many of them.
    pub fn most(&self, length: usize) -> u64 {
        if length == 1 {
            self.max_repeats
        } else {
            self.max_cycles
        }
    }
}
