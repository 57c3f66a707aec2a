//! Messages, tool calls and errors as scripts write them.

use crate::strict::Object;
use agenthost::document::{Failure, InvalidToolCall, ToolCall, Usage};
use agenthost::{Content, Decode, Message, Result, Role};

/// Reads a message object.
pub fn message(o: &Object<'_>) -> Result<Message> {
    o.need(&["role"])?;
    let role = Role::of(&o.one_of("role", &["human", "ai", "tool", "system"])?);
    read(o, role)
}

/// Reads the object of an AI message that does not say its role.
pub fn ai_message(o: &Object<'_>) -> Result<Message> {
    read(o, Role::Ai)
}

fn read(o: &Object<'_>, role: Role) -> Result<Message> {
    let mut m =
        Message { role, id: o.text("id")?, name: o.text_or_null("name")?, content: content(o)?, ..Message::default() };
    match role {
        Role::Ai => read_ai(o, &mut m)?,
        Role::Tool => {
            o.need(&["tool_call_id"])?;
            m.tool_call_id = o.text_or_null("tool_call_id")?;
            m.status = status(o)?;
        }
        _ => {}
    }
    o.done()?;
    Ok(m)
}

/// The status of a tool message; `success` if it is absent.
pub fn status(o: &Object<'_>) -> Result<String> {
    let status = o.one_of("status", &["success", "error"])?;
    Ok(if status.is_empty() { "success".to_owned() } else { status })
}

fn content(o: &Object<'_>) -> Result<Content> {
    match o.get("content") {
        None => Ok(Content::default()),
        Some(value) if value.is_nil() => Err(o.fail("content", "must be a text")),
        Some(value) => Content::decode(value).map_err(|e| o.fail("content", &e.to_string())),
    }
}

fn read_ai(o: &Object<'_>, m: &mut Message) -> Result<()> {
    m.tool_calls = o.objects("tool_calls")?.iter().map(tool_call).collect::<Result<_>>()?;
    m.invalid_tool_calls = o.objects("invalid_tool_calls")?.iter().map(invalid_tool_call).collect::<Result<_>>()?;
    if let Some(usage) = o.object("usage")? {
        m.usage = Some(Usage {
            input_tokens: usage.int("input_tokens", 0)? as u64,
            output_tokens: usage.int("output_tokens", 0)? as u64,
            total_tokens: usage.int("total_tokens", 0)? as u64,
            ..Usage::default()
        });
        usage.done()?;
    }
    let provider = o.text("provider")?;
    if !provider.is_empty() {
        m.meta.set("provider", provider);
    }
    Ok(())
}

fn tool_call(o: &Object<'_>) -> Result<ToolCall> {
    o.need(&["id", "name", "args"])?;
    let call = ToolCall { id: o.text_or_null("id")?, name: o.text("name")?, args: o.map("args")?.unwrap_or_default() };
    o.done()?;
    Ok(call)
}

fn invalid_tool_call(o: &Object<'_>) -> Result<InvalidToolCall> {
    o.need(&["id", "name", "args"])?;
    let call = InvalidToolCall {
        id: o.text_or_null("id")?,
        name: o.text_or_null("name")?,
        args: o.text("args")?,
        error: o.text_or_null("error")?,
    };
    o.done()?;
    Ok(call)
}

/// Reads the object of a scripted error under a key.
pub fn failure(o: &Object<'_>, key: &str) -> Result<Failure> {
    let Some(o) = o.object(key)? else { return Ok(Failure::default()) };
    o.need(&["type", "message"])?;
    let failure = Failure { kind: o.text("type")?, message: o.text("message")?, ..Failure::default() };
    o.done()?;
    Ok(failure)
}
