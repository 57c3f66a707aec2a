//! The state updates of one call.

use crate::message::message;
use crate::strict::Object;
use crate::text::number;
use agenthost::{Raw, Result, Update, Value};

/// The id of a removal that removes all messages before it.
const REMOVE_ALL: &str = "*";

/// Merges a state update of the script: its messages follow the earlier ones, and its fields replace the earlier ones.
pub fn add(update: &mut Update, raw: &Raw, n: u64, path: &str) -> Result<()> {
    add_literally(update, number(raw.value(), n).value(), path)
}

fn add_literally(update: &mut Update, value: Value<'_>, path: &str) -> Result<()> {
    let o = Object::open(value, path)?;
    for message in o.objects("messages")? {
        add_message(update, &message)?;
    }
    for key in o.keys().filter(|key| *key != "messages") {
        update.state.set(key, o.raw(key));
    }
    o.done()
}

/// Adds a message or a removal. The last entry of the list for an id counts.
fn add_message(update: &mut Update, o: &Object<'_>) -> Result<()> {
    if o.get("role").and_then(|v| v.as_str()) != Some("remove") {
        let m = message(o)?;
        if !m.id.is_empty() {
            update.remove.retain(|id| *id != m.id);
        }
        update.messages.push(m);
        return Ok(());
    }
    o.need(&["id"])?;
    let id = o.text("id")?;
    o.done()?;
    if id == REMOVE_ALL {
        update.overwrite = true;
        update.messages.clear();
        update.remove.clear();
        return Ok(());
    }
    let before = update.messages.len();
    update.messages.retain(|m| m.id != id);
    if update.messages.len() == before && !update.overwrite {
        update.remove.push(id);
    }
    Ok(())
}

/// Reads a state update of the script.
pub fn read(value: Value<'_>, path: &str) -> Result<Update> {
    let mut update = Update::new();
    add_literally(&mut update, value, path)?;
    Ok(update)
}
