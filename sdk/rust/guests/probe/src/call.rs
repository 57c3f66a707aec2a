//! One call of a hook, as its script sees it.

use crate::text::{expand, mistake, show};
use agenthost::document::Failure;
use agenthost::{Context, Encode, Error, Message, Raw, Result, Value};

/// A state field as the hook received it; none if it is unset.
pub fn state(ctx: &Context, field: &str) -> Raw {
    if ctx.is_large(field) {
        let fields = ctx.read_fields([field]).unwrap_or_default();
        return fields.get(field).map(Raw::from).unwrap_or_default();
    }
    ctx.state(field).map(Raw::from).unwrap_or_default()
}

/// The number of messages in the state, and the last one.
fn messages(ctx: &Context) -> (u64, Option<Message>) {
    if ctx.input().get("messages").is_some() {
        let view = ctx.view();
        return (view.total(), view.messages().last().and_then(|m| m.to_message().ok()));
    }
    // wrap_model_call sees the messages of the request, not those of the state.
    let mut all = ctx.read_messages(0, i64::MAX as u64).unwrap_or_default();
    (all.len() as u64, all.pop())
}

/// A message as the log shows it: its text, or its blocks as JSON.
fn content_text(m: &Message) -> String {
    if m.content.is_text() {
        return m.content.text();
    }
    show(Value::new(&m.content.to_document()))
}

/// Adds a line to the log.
pub fn log(ctx: &Context, line: &str) {
    let _ = ctx.emit("log", line); // a script does not see whether its log is full
}

/// Expands a text of a hook; `extra` knows more names.
pub fn line(ctx: &Context, text: &str, extra: impl Fn(&str) -> Option<String>) -> String {
    expand(text, |name| {
        if let Some(value) = extra(name) {
            return Some(value);
        }
        match name {
            "n" => Some(ctx.n().to_string()),
            "messages" => Some(messages(ctx).0.to_string()),
            "last" => Some(messages(ctx).1.as_ref().map(content_text).unwrap_or_default()),
            _ => {
                let value = state(ctx, name.strip_prefix("state.")?);
                Some(if value.value().is_nil() { "-".to_owned() } else { show(value.value()) })
            }
        }
    })
}

/// The sum of a field and a number; an unset field counts as 0.
pub fn increased(field: &Raw, by: &Raw) -> Result<Raw> {
    let zero = Raw::from(0);
    let value = if field.value().is_nil() { &zero } else { field };
    if let (Some(a), Some(b)) = (value.value().as_i64(), by.value().as_i64()) {
        return Ok(a.wrapping_add(b).into());
    }
    match (value.value().as_f64(), by.value().as_f64()) {
        (Some(a), Some(b)) => Ok((a + b).into()),
        _ => Err(mistake(format!("increment: the field is not a number: {}", show(value.value())))),
    }
}

/// The outcome of the rest of the chain: a reply, or an error that is to become an answer.
pub enum Chain<R> {
    Reply(R),
    Failure(Failure),
}

/// Performs the rest of the chain, and repeats it after an error up to `retries` times. Returns an
/// error that does not become an answer, and an error that is not a failure, to the outer layers.
pub fn call_next<R>(retries: i64, answers_errors: bool, next: impl Fn() -> Result<R>) -> Result<Chain<R>> {
    let is_failure = |e: &Error| e.failure().is_some();
    let mut reply = next();
    for _ in 0..retries {
        if !matches!(&reply, Err(e) if is_failure(e)) {
            break;
        }
        reply = next();
    }
    match reply {
        Ok(reply) => Ok(Chain::Reply(reply)),
        Err(e) => match e.failure() {
            Some(failure) if answers_errors => Ok(Chain::Failure(failure)),
            _ => Err(e),
        },
    }
}

/// The names of an error's parts.
pub fn error_names(failure: &Failure) -> impl Fn(&str) -> Option<String> + '_ {
    |name| match name {
        "type" => Some(failure.kind.clone()),
        "message" => Some(failure.message.clone()),
        _ => None,
    }
}
