use crate::config::Config;
use serde::{Deserialize, Serialize};

/// What a run has done: its last steps, and how long they have been going in circles. Its size follows from `max_cycle`, not
/// from the length of the run.
#[derive(Default, Deserialize, Serialize)]
pub struct Trail {
    /// The last steps, `max_cycle` at the most.
    steps: Vec<Done>,
    /// At L-1: how many of the last steps in a row were equal to the one L steps before them.
    streaks: Vec<u64>,
}

/// What is kept of a step.
#[derive(Deserialize, Serialize)]
pub struct Done {
    id: String, // of the message that asked
    calls: u64,
    results: u64,
    tools: Vec<String>,
}

/// Steps that were made again and again.
pub struct Loop<'a> {
    steps: &'a [Done],
    /// How often they were made.
    pub times: u64,
}

/// How many tools of a step are named at the most.
const MOST_NAMES: usize = 8;

impl Done {
    pub fn new(id: &str, calls: u64, results: u64, tools: &[&str]) -> Self {
        let tools = tools.iter().take(MOST_NAMES).map(|&tool| tool.to_owned()).collect();
        Done { id: id.to_owned(), calls, results, tools }
    }

    fn is_like(&self, other: &Done) -> bool {
        self.calls == other.calls && self.results == other.results
    }
}

impl Trail {
    /// The id of the message whose step was taken in last; empty without one.
    pub fn last(&self) -> &str {
        self.steps.last().map(|step| step.id.as_str()).unwrap_or_default()
    }

    /// Takes in a step.
    pub fn push(&mut self, step: Done, config: &Config) {
        self.streaks.resize(config.max_cycle, 0);
        for (before, streak) in self.steps.iter().rev().zip(&mut self.streaks) {
            *streak = if before.is_like(&step) { *streak + 1 } else { 0 };
        }
        self.steps.push(step);
        let surplus = self.steps.len().saturating_sub(config.max_cycle);
        self.steps.drain(..surplus);
    }

    /// The loop that the last step has completed once more.
    pub fn completed<'a>(&'a self, config: &'a Config) -> Option<Loop<'a>> {
        self.loops(config).find(|found| self.streaks[found.length() - 1] % found.length() as u64 == 0)
    }

    /// The loop that these calls, which are still to be made, go on with.
    pub fn continued<'a>(&'a self, calls: u64, config: &'a Config) -> Option<Loop<'a>> {
        self.loops(config).find(|found| found.steps[0].calls == calls)
    }

    /// The loops that end with the last step, short ones first.
    fn loops<'a>(&'a self, config: &'a Config) -> impl Iterator<Item = Loop<'a>> {
        let lengths = 1..=self.streaks.len().min(self.steps.len());
        let loops = lengths.filter(|&length| !self.is_made_of_shorter(length)).map(|length| Loop {
            steps: &self.steps[self.steps.len() - length..],
            times: self.streaks[length - 1] / length as u64 + 1,
        });
        loops.filter(|found| found.times >= config.most(found.length()))
    }

    /// Reports whether the last steps, so many, are fewer steps several times.
    fn is_made_of_shorter(&self, length: usize) -> bool {
        let divides = |shorter: &usize| length % shorter == 0;
        (1..length).filter(divides).any(|shorter| self.streaks[shorter - 1] >= (length - shorter) as u64)
    }
}

impl Loop<'_> {
    /// How many steps it has.
    pub fn length(&self) -> usize {
        self.steps.len()
    }

    /// What it is called in events and errors.
    pub fn kind(&self) -> &'static str {
        if self.length() == 1 {
            "repeat"
        } else {
            "ping_pong"
        }
    }

    /// The tools that are called, in the order of the steps.
    pub fn tools(&self) -> Vec<&str> {
        self.steps.iter().flat_map(|step| &step.tools).map(String::as_str).collect()
    }

    /// The tools of each step.
    pub fn tools_by_step(&self) -> impl Iterator<Item = &[String]> {
        self.steps.iter().map(|step| step.tools.as_slice())
    }
}
