//! Tools whose behaviour a script describes.

use crate::call::state;
use crate::message::failure;
use crate::strict::Object;
use crate::text::{expand, show, upper};
use crate::update;
use agenthost::document::{Failure, ToolCall};
use agenthost::{Map, Raw, Result, ToolContext, ToolSpec, Update};

/// A tool of a script.
pub struct Tool {
    pub spec: ToolSpec,
    log: String,
    behavior: Behavior,
}

/// What a tool does. Sleeping takes no time in a guest.
enum Behavior {
    Template(String),
    Upper(String),
    Json(Raw),
    Raise(Failure),
    /// Fails this many times.
    RaiseFirst(Failure, i64, Box<Behavior>),
    ReadState(String),
    Command(String, Raw),
    Interrupt(String),
}

/// One execution of a tool.
pub struct Execution<'a> {
    pub ctx: &'a ToolContext,
    pub call: &'a ToolCall,
    pub count: u64, // number of this execution of the tool, from 1
}

/// Reads the objects of tools under a key.
pub fn tools(o: &Object<'_>, key: &str) -> Result<Vec<Tool>> {
    o.objects(key)?.iter().map(Tool::parse).collect()
}

impl Tool {
    fn parse(o: &Object<'_>) -> Result<Self> {
        o.need(&["name", "behavior"])?;
        let spec = ToolSpec {
            name: o.text("name")?,
            description: o.text("description")?,
            return_direct: o.bool("return_direct")?,
            parameters: o.map("parameters")?.map(Raw::from).unwrap_or_default(),
            ..ToolSpec::default()
        };
        let log = o.text("log")?;
        let behavior = o.object("behavior")?.map(|o| Behavior::parse(&o)).transpose()?;
        o.done()?;
        Ok(Tool { spec, log, behavior: behavior.unwrap_or(Behavior::Template(String::new())) })
    }

    /// Executes the tool.
    pub fn run(&self, execution: &Execution<'_>) -> Result<(String, Update)> {
        if !self.log.is_empty() {
            crate::call::log(execution.ctx, &self.log);
        }
        self.behavior.run(execution)
    }
}

impl Behavior {
    fn parse(o: &Object<'_>) -> Result<Self> {
        o.need(&["kind"])?;
        let text = |key: &str| {
            o.need(&[key])?;
            o.text(key)
        };
        o.int("sleep_ms", 0)?;
        let kinds = ["template", "upper", "json", "raise", "read_state", "command", "interrupt"];
        let behavior = match o.one_of("kind", &kinds)?.as_str() {
            "upper" => Behavior::Upper(text("arg")?),
            "json" => {
                o.need(&["value"])?;
                Behavior::Json(o.raw("value"))
            }
            "raise" => Behavior::parse_raise(o)?,
            "read_state" => Behavior::ReadState(text("field")?),
            "command" => {
                o.need(&["update", "text"])?;
                let raw = o.raw("update");
                update::read(raw.value(), &format!("{}.update", o.path()))?;
                Behavior::Command(o.text("text")?, raw)
            }
            "interrupt" => Behavior::Interrupt(text("ask")?),
            _ => Behavior::Template(text("text")?),
        };
        o.done()?;
        Ok(behavior)
    }

    fn parse_raise(o: &Object<'_>) -> Result<Self> {
        o.need(&["error"])?;
        let failure = failure(o, "error")?;
        let times = o.int("times", 1)?;
        if !o.has("then") && !o.has("times") {
            return Ok(Behavior::Raise(failure));
        }
        o.need(&["then", "times"])?;
        let then = o.object("then")?.map(|o| Behavior::parse(&o)).transpose()?;
        Ok(Behavior::RaiseFirst(failure, times, Box::new(then.unwrap_or(Behavior::Template(String::new())))))
    }

    fn run(&self, e: &Execution<'_>) -> Result<(String, Update)> {
        let text = match self {
            Behavior::Template(text) => e.expand(text),
            Behavior::Upper(name) => upper(&e.argument(name)),
            Behavior::Json(value) => show(value.value()),
            Behavior::RaiseFirst(_, times, then) if e.count > *times as u64 => return then.run(e),
            Behavior::Raise(failure) | Behavior::RaiseFirst(failure, ..) => return Err(failure.clone().into()),
            Behavior::ReadState(field) => {
                let value = state(e.ctx, field);
                if value.is_none() {
                    "<missing>".to_owned()
                } else {
                    show(value.value())
                }
            }
            Behavior::Command(text, raw) => return Ok((e.expand(text), update::read(raw.value(), "update")?)),
            Behavior::Interrupt(text) => {
                let question = Map::new().with("ask", e.expand(text)).with("tool_call_id", &e.call.id);
                format!("Answer: {}", show(e.ctx.interrupt("ask", question)?))
            }
        };
        Ok((text, Update::new()))
    }
}

impl Execution<'_> {
    fn expand(&self, text: &str) -> String {
        expand(text, |name| Some(if name == "#" { self.count.to_string() } else { self.argument(name) }))
    }

    /// Shows an argument of the call; empty if it is missing.
    fn argument(&self, name: &str) -> String {
        self.call.args.get(name).map(show).unwrap_or_default()
    }
}
