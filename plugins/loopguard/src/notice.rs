//! What the model and the user are told.

use crate::config::Config;
use crate::trail::Loop;

/// Stands behind the answer that completed a loop.
pub fn warning(found: &Loop, config: &Config) -> String {
    format!(
        "[loopguard: {}. Doing it again will not help. Try something else, or answer with what you know.]",
        what_happened(found, config)
    )
}

/// Ends the run.
pub fn ending(found: &Loop, config: &Config) -> String {
    format!("Loop detected: {}.", what_happened(found, config))
}

/// Answers a call that is not performed.
pub fn refusal(found: &Loop) -> String {
    format!("Not performed: the run was stopped because it repeats what it did {} times.", found.times)
}

fn what_happened(found: &Loop, config: &Config) -> String {
    let steps: Vec<String> = found.tools_by_step().map(|tools| tools.join(" and ")).collect();
    let (names, times) = (steps.join(", then "), found.times);
    let result = if config.same_result_only { ", each time with the same result" } else { "" };
    match found.length() {
        1 => format!("the same call of {names} was made {times} times in a row{result}"),
        _ => format!("the same calls of {names} were made {times} times in turn{result}"),
    }
}
