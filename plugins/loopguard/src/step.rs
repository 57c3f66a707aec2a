use crate::config::Config;
use crate::fingerprint as hash;
use crate::trail::Done;
use agenthost::{MessageRef, ToolCallRef};

/// What one answer of the model asks for: one call, or several at once. Their order does not matter, and equal calls count
/// once.
pub struct Step<'a> {
    message: MessageRef<'a>,
    calls: Vec<Call<'a>>, // those that are looked at
    answered: Vec<&'a str>,
    last: Option<MessageRef<'a>>,
}

struct Call<'a> {
    id: &'a str,
    tool: &'a str,
    hash: u64,
    result: u64,
}

impl<'a> Step<'a> {
    /// A step whose calls nobody has answered yet.
    pub fn of(message: MessageRef<'a>, config: &Config) -> Self {
        let watched = message.tool_calls().filter(|call| config.watches(call.name()));
        let calls = watched.map(Call::of).collect();
        Step { message, calls, answered: Vec::new(), last: None }
    }

    /// Takes in an answer. What the model is not shown of it does not count.
    pub fn answer(&mut self, answer: MessageRef<'a>) {
        let id = answer.tool_call_id();
        self.answered.push(id);
        self.last = Some(answer);
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            let content = answer.get("content").map(|content| content.bytes()).unwrap_or_default();
            call.result = hash::of(&[hash::of_bytes(content), u64::from(answer.status() == "error")]);
        }
    }

    /// The message that asks.
    pub fn message(&self) -> MessageRef<'a> {
        self.message
    }

    /// Reports whether the step has no calls that are looked at.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Reports whether a call has an answer.
    pub fn is_answered(&self, call: &str) -> bool {
        self.answered.contains(&call)
    }

    /// The last of the answers.
    pub fn last_answer(&self) -> Option<MessageRef<'a>> {
        self.last
    }

    /// The fingerprint of the calls.
    pub fn calls_hash(&self) -> u64 {
        hash::of_set(self.calls.iter().map(|call| call.hash))
    }

    /// What is kept of a step when it is done.
    pub fn done(&self, config: &Config) -> Done {
        let results = if config.same_result_only {
            hash::of_set(self.calls.iter().map(|call| hash::of(&[call.hash, call.result])))
        } else {
            0
        };
        Done::new(self.message.id(), self.calls_hash(), results, &hash::set(self.calls.iter().map(|call| call.tool)))
    }
}

impl<'a> Call<'a> {
    fn of(call: ToolCallRef<'a>) -> Self {
        let args = call.args().map(hash::of_value).unwrap_or_default();
        let hash = hash::of(&[hash::of_bytes(call.name().as_bytes()), args]);
        Call { id: call.id(), tool: call.name(), hash, result: 0 }
    }
}
