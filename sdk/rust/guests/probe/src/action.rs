//! The actions of hooks, as a script lists them under "do".

use crate::hook::is_node;
use crate::message::{ai_message, failure, status};
use crate::model::Override;
use crate::strict::Object;
use crate::text::{expand, upper};
use crate::update;
use agenthost::document::Failure;
use agenthost::{CallChange, Hook, Message, Raw, Result, Target};

/// One entry of "do".
pub struct Action {
    only_on: Option<Vec<i64>>, // calls in which the action runs; none: all
    pub act: Act,
}

/// What an action does.
pub enum Act {
    Log(String),
    /// The keys update and command.
    Update(Raw),
    Increment {
        field: String,
        by: Raw,
    },
    Jump(Target),
    Interrupt {
        ask: Raw,
        into: String,
    },
    Raise(Failure),
    OverrideRequest(Box<Override>),
    OverrideCall(CallChange),
    Next {
        retries: i64,
        on_error: Option<String>,
    },
    RespondModel(Box<Message>),
    RespondTool {
        text: String,
        status: String,
    },
    Transform(Transform),
}

const NODE_ACTIONS: [&str; 6] = ["log", "update", "increment", "jump_to", "interrupt", "raise"];
const WRAP_ACTIONS: [&str; 7] = ["log", "override", "call_next", "respond", "transform", "command", "raise"];

/// A change of a text.
pub enum Transform {
    Upper,
    Around { prefix: String, suffix: String },
}

impl Transform {
    pub fn apply(&self, text: &str) -> String {
        match self {
            Transform::Upper => upper(text),
            Transform::Around { prefix, suffix } => format!("{prefix}{text}{suffix}"),
        }
    }
}

impl Action {
    pub fn parse(hook: Hook, o: &Object<'_>) -> Result<Self> {
        let allowed: &[&str] = if is_node(hook) { &NODE_ACTIONS } else { &WRAP_ACTIONS };
        let mut kinds = allowed.iter().copied().filter(|kind| o.has(kind));
        let Some(kind) = kinds.next() else {
            return Err(o.fail("do", &format!("an action of {} is missing", hook.as_str())));
        };
        if let Some(other) = kinds.next() {
            return Err(o.fail(other, &format!("cannot be combined with \"{kind}\"; an action does one thing")));
        }
        let mut only_on = o.has("only_on").then(Vec::new);
        for item in o.items("only_on")? {
            let n = item.as_i64().filter(|n| *n >= 1);
            let n = n.ok_or_else(|| o.fail("only_on", "must be a list of call numbers, from 1"))?;
            only_on.get_or_insert_default().push(n);
        }
        let act = parse(kind, hook, o)?;
        o.done()?;
        Ok(Action { only_on, act })
    }

    /// Reports whether the action runs in the n-th call.
    pub fn is_due(&self, n: u64) -> bool {
        self.only_on.as_ref().is_none_or(|calls| calls.contains(&(n as i64)))
    }

    /// The state fields that the action looks at.
    pub fn reads(&self) -> Vec<String> {
        let mut fields = Vec::new();
        let mut note = |text: &str| {
            expand(text, |name| {
                fields.extend(name.strip_prefix("state.").map(str::to_owned));
                None
            });
        };
        match &self.act {
            Act::Log(text) | Act::RespondTool { text, .. } | Act::Next { on_error: Some(text), .. } => note(text),
            Act::Increment { field, .. } => fields.push(field.clone()),
            _ => {}
        }
        fields
    }

    /// The state fields that the action updates.
    pub fn writes(&self) -> Vec<String> {
        match &self.act {
            Act::Update(raw) => {
                let keys = raw.value();
                let keys = keys.pairs().map(|(key, _)| key.to_owned()).filter(|key| key != "messages");
                keys.collect()
            }
            Act::Increment { field, .. } | Act::Interrupt { into: field, .. } if !field.is_empty() => {
                vec![field.clone()]
            }
            _ => Vec::new(),
        }
    }
}

fn parse(kind: &str, hook: Hook, o: &Object<'_>) -> Result<Act> {
    Ok(match kind {
        "log" => Act::Log(o.text(kind)?),
        "update" | "command" => {
            let raw = o.raw(kind);
            update::read(raw.value(), &format!("{}.{kind}", o.path()))?;
            Act::Update(raw)
        }
        "increment" => {
            let by = o.get("by").map_or(Raw::from(1), Raw::from);
            if by.value().as_f64().is_none() {
                return Err(o.fail("by", "must be a number"));
            }
            Act::Increment { field: o.text(kind)?, by }
        }
        "jump_to" => Act::Jump(target(o)?),
        "interrupt" => Act::Interrupt { ask: o.raw(kind), into: o.text("into")? },
        "raise" => Act::Raise(failure(o, kind)?),
        "override" => parse_override(hook, o)?,
        "call_next" => parse_next(o)?,
        "respond" => parse_respond(hook, o)?,
        _ => Act::Transform(parse_transform(o)?),
    })
}

fn target(o: &Object<'_>) -> Result<Target> {
    Ok(match o.one_of("jump_to", &["model", "tools", "end"])?.as_str() {
        "model" => Target::Model,
        "tools" => Target::Tools,
        _ => Target::End,
    })
}

/// The object under a required key.
fn object<'a>(o: &Object<'a>, key: &str) -> Result<Object<'a>> {
    o.object(key)?.ok_or_else(|| o.fail(key, "must be an object"))
}

fn parse_override(hook: Hook, o: &Object<'_>) -> Result<Act> {
    let o = object(o, "override")?;
    if hook == Hook::WrapModelCall {
        return Override::parse(&o).map(|change| Act::OverrideRequest(Box::new(change)));
    }
    let change = CallChange {
        args: o.map("args")?,
        name: o.text("name")?,
        set_args: o.map("set_args")?.unwrap_or_default(),
        tool: o.text("tool")?,
    };
    o.done()?;
    Ok(Act::OverrideCall(change))
}

fn parse_next(o: &Object<'_>) -> Result<Act> {
    if !o.get("call_next").is_some_and(|v| v.is_map()) {
        if !o.bool("call_next")? {
            return Err(o.fail("call_next", "must be true, or absent"));
        }
        return Ok(Act::Next { retries: 0, on_error: None });
    }
    let options = object(o, "call_next")?;
    let on_error = options.has("on_error").then(|| options.text("on_error")).transpose()?;
    let act = Act::Next { retries: options.int("retries", 0)?, on_error };
    options.done()?;
    Ok(act)
}

fn parse_respond(hook: Hook, o: &Object<'_>) -> Result<Act> {
    let o = object(o, "respond")?;
    if hook == Hook::WrapModelCall {
        o.one_of("role", &["ai"])?;
        return ai_message(&o).map(|message| Act::RespondModel(Box::new(message)));
    }
    o.need(&["content"])?;
    let act = Act::RespondTool { text: o.text("content")?, status: status(&o)? };
    o.done()?;
    Ok(act)
}

fn parse_transform(o: &Object<'_>) -> Result<Transform> {
    if !o.get("transform").is_some_and(|v| v.is_map()) {
        o.one_of("transform", &["upper"])?;
        return Ok(Transform::Upper);
    }
    let inner = object(o, "transform")?;
    let transform = Transform::Around { prefix: inner.text("prefix")?, suffix: inner.text("suffix")? };
    inner.done()?;
    Ok(transform)
}
