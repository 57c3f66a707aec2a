//! How often each tool was called in the run. It is kept in the plugin's store: tools run at the same time, and what a
//! hook writes to a state field the others see when all of them have ended.

use extism_pdk::Error;
use serde::Deserialize;
use serde_json::json;

use crate::host::{perform, CONFLICT, NO_ENTRY, OK};

/// A count in the store. An absent one has the version 0.
#[derive(Deserialize, Default)]
struct Entry {
    value: u64,
    version: u64,
}

/// Counts a call, or returns false if there were so many already.
pub fn take(tool: &str, most: u64) -> Result<bool, Error> {
    change(tool, |made| (made < most).then_some(made + 1))
}

/// Takes a call back.
pub fn give_back(tool: &str) -> Result<(), Error> {
    change(tool, |made| made.checked_sub(1)).map(drop)
}

/// Tells how many calls were made.
pub fn made(tool: &str) -> Result<u64, Error> {
    Ok(read(tool)?.value)
}

/// Writes what becomes of the count, again where another call was faster. Returns false if nothing becomes of it.
fn change(tool: &str, next: impl Fn(u64) -> Option<u64>) -> Result<bool, Error> {
    loop {
        let old = read(tool)?;
        let Some(value) = next(old.value) else {
            return Ok(false);
        };
        let put = json!({"scope": "run", "key": tool, "value": value, "if_version": old.version});
        match perform("kv.put", put)?.status {
            OK => return Ok(true),
            CONFLICT => {}
            status => return Err(refused("kv.put", status)),
        }
    }
}

fn read(tool: &str) -> Result<Entry, Error> {
    let said = perform("kv.get", json!({"scope": "run", "key": tool}))?;
    match said.status {
        OK => Ok(serde_json::from_value(said.reply)?),
        NO_ENTRY => Ok(Entry::default()),
        status => Err(refused("kv.get", status)),
    }
}

fn refused(op: &str, status: i32) -> Error {
    Error::msg(format!("{op} was refused with the status {status}: does the manifest grant the plugin kv?"))
}
