use crate::wire::{append_bin, append_str};
use crate::{sha256, CallChange, Errno, Error, Map, Patch, Raw, Result, ToolAnswer, ToolContext, Value};

/// Asks a person about a tool call. The question is a `tool_approval`, as that of `human_in_the_loop` for each call: people see
/// the tool and its arguments, and decide with `agenthost chat`, `agenthost resume` or a client of the server.
///
/// ```
/// use agenthost::*;
/// use agenthost::testing::Test;
///
/// /// Asks before it deletes.
/// #[derive(Default)]
/// struct Careful;
///
/// #[agenthost::plugin]
/// impl Plugin for Careful {
///     fn describe() -> Description {
///         Description::new("careful", "1.0.0").guards().wrap_tool_call(HookSpec::new().only_tool("delete"))
///     }
///
///     fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
///         Approval::new("Deletes a file.").allow(&[DecisionType::Approve, DecisionType::Reject]).wrap(ctx)
///     }
/// }
///
/// let asked = Test::<Careful>::new().call("delete", [("path", "/tmp/x")]).wrap_tool_call();
/// let reject = Map::from([("type", "reject"), ("message", "not that one")]);
/// let outcome = Test::<Careful>::new()
///     .call("delete", [("path", "/tmp/x")])
///     .answer(&asked.interrupts[0].key, reject)
///     .wrap_tool_call();
/// assert_eq!(outcome.text(), "User rejected the tool call for `delete` with reason: not that one");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Approval {
    description: String,
    allowed: Vec<DecisionType>,
}

/// A kind of decision about a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionType {
    /// The call runs.
    Approve,
    /// The call runs with other arguments.
    Edit,
    /// The call does not run; the model learns this and the reason.
    Reject,
    /// The call does not run; the message becomes its result.
    Respond,
}

impl DecisionType {
    const ALL: [DecisionType; 4] =
        [DecisionType::Approve, DecisionType::Edit, DecisionType::Reject, DecisionType::Respond];

    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            DecisionType::Approve => "approve",
            DecisionType::Edit => "edit",
            DecisionType::Reject => "reject",
            DecisionType::Respond => "respond",
        }
    }
}

/// A person's decision about a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call runs.
    Approve,
    /// The call runs with these arguments.
    Edit(Map),
    /// The call does not run, for this reason; empty: none was given.
    Reject(String),
    /// The call does not run, and this is its result.
    Respond(String),
}

impl Approval {
    /// A question that allows all decisions. The description tells the person why the plugin asks; the tool and its arguments are
    /// shown anyway.
    pub fn new(description: impl Into<String>) -> Self {
        Approval { description: description.into(), allowed: Vec::new() }
    }

    /// Limits the decisions that the person may make.
    #[must_use]
    pub fn allow(mut self, decisions: &[DecisionType]) -> Self {
        self.allowed = decisions.to_vec();
        self
    }

    /// Asks about the call and does what the person decides. `wrap_tool_call` returns what this returns. An approved call passes
    /// on to the inner layers.
    pub fn wrap(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        match self.ask(ctx)? {
            Decision::Approve => Ok(ToolAnswer::unchanged()),
            Decision::Edit(args) => match ctx.next_with(&CallChange::new().args(args)) {
                // The host passes on the reply that the plugin cannot see.
                Err(e) if e.errno() == Some(Errno::ETOOBIG) => Ok(ToolAnswer::unchanged()),
                reply => reply.map(|_| ToolAnswer::unchanged()),
            },
            Decision::Reject(reason) => Ok(ToolAnswer::error(rejection(ctx, &reason))),
            Decision::Respond(message) => Ok(Patch::new().content(message).into()),
        }
    }

    /// Asks about the call, and returns the decision. While there is none, the hook must return the error, as that of
    /// [`Context::interrupt`](crate::Context::interrupt). The decision is about the call with exactly these arguments: if they
    /// change, this asks again.
    pub fn ask(&self, ctx: &ToolContext) -> Result<Decision> {
        let args = ctx.call().args().map_or_else(|| Map::new().into(), Raw::from);
        let mut question = Map::new()
            .with("args", args)
            .with("description", self.description.as_str())
            .with("name", ctx.tool())
            .with("tool_call_id", ctx.call().id())
            .with("type", "tool_approval");
        if !self.allowed.is_empty() {
            question.set("allowed_decisions", Raw::array(self.allowed.iter().map(|t| t.as_str())));
        }
        self.read(ctx, ctx.interrupt(&key(ctx), question)?)
    }

    /// Reads the answer, which may be anything.
    fn read(&self, ctx: &ToolContext, answer: Value<'_>) -> Result<Decision> {
        let string = |key| answer.get(key).and_then(|v| v.as_str());
        if !answer.is_map() {
            return Err(undecided(r#"it is a map such as {"type":"approve"}"#));
        }
        let given = string("type").unwrap_or_default();
        let Some(kind) = self.types().iter().find(|t| t.as_str() == given) else {
            return Err(undecided(&format!(r#"the question does not allow the type "{given}""#)));
        };
        match kind {
            DecisionType::Approve => Ok(Decision::Approve),
            DecisionType::Reject => Ok(Decision::Reject(string("message").unwrap_or_default().to_owned())),
            DecisionType::Respond => match string("message") {
                Some(message) => Ok(Decision::Respond(message.to_owned())),
                None => Err(undecided("a respond needs a message, which is the result of the call")),
            },
            DecisionType::Edit => edited(ctx, answer).map(Decision::Edit).ok_or_else(|| {
                let form = format!(r#"{{"edited_action":{{"name":"{}","args":{{…}}}}}}"#, ctx.tool());
                undecided(&format!("an edit needs {form}"))
            }),
        }
    }

    fn types(&self) -> &[DecisionType] {
        if self.allowed.is_empty() {
            &DecisionType::ALL
        } else {
            &self.allowed
        }
    }
}

/// The arguments of an edit, which keeps the tool.
fn edited(ctx: &ToolContext, answer: Value<'_>) -> Option<Map> {
    let action = answer.get("edited_action")?;
    let keeps_the_tool = action.get("name")?.as_str() == Some(ctx.tool());
    let args = Map::try_from(action.get("args")?).ok()?;
    keeps_the_tool.then_some(args)
}

/// The key depends on the content of the call, so that an answer is never used for another call.
fn key(ctx: &ToolContext) -> String {
    let mut call = Vec::new();
    append_str(&mut call, ctx.call().id());
    append_str(&mut call, ctx.tool());
    append_bin(&mut call, ctx.call().args().map(Raw::from).unwrap_or_default().bytes());
    format!("approval-{}", &sha256::hex(call)[..16])
}

/// Tells the model about a rejected call, in the words of `human_in_the_loop`.
fn rejection(ctx: &ToolContext, reason: &str) -> String {
    let (tool, id) = (ctx.tool(), ctx.call().id());
    if reason.is_empty() {
        format!(
            "User rejected the tool call for `{tool}` with id {id}. The tool was not executed. \
             Do not retry this tool call unless the user explicitly requests it."
        )
    } else {
        format!("User rejected the tool call for `{tool}` with reason: {reason}")
    }
}

fn undecided(why: &str) -> Error {
    Error::new("invalid_decision", format!("the answer is not a decision about the tool call: {why}"))
}
