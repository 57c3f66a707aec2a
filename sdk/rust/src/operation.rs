//! Operations of the host. An operation whose capability is not granted is refused with
//! [`Errno::EDENIED`](crate::Errno::EDENIED).

use crate::document::*;
use crate::wire::{Map, Raw};
use crate::{Context, Result, Store};
use core::time::Duration;

impl Context {
    pub(crate) fn ask<R: Decode>(&self, op: &str, document: &impl Encode) -> Result<R> {
        Ok(R::from_document(&self.host_call(op, &document.to_document())?)?)
    }

    /// Fetches fields that the hook lists in `reads`, including fields too large for its input. Unset fields are absent.
    pub fn read_fields<T: Into<String>>(&self, names: impl IntoIterator<Item = T>) -> Result<Map> {
        let fields = names.into_iter().map(Into::into).collect();
        let reply: StateReply = self.ask("state.read", &StateQuery { fields, ..StateQuery::default() })?;
        Ok(reply.state)
    }

    /// Fetches at most `count` messages of the history, starting at the index `from`.
    pub fn read_messages(&self, from: u64, count: u64) -> Result<Vec<Message>> {
        let reply: StateReply = self.ask("state.read", &StateQuery { from, count, fields: Vec::new() })?;
        Ok(reply.items)
    }

    /// Puts an event into the run's stream.
    pub fn emit(&self, name: &str, data: impl Into<Raw>) -> Result<()> {
        let event = EventEmit { name: name.to_owned(), data: data.into() };
        self.host_call("event.emit", &event.to_document()).map(drop)
    }

    /// How much this call may still use.
    pub fn budget(&self) -> Result<Budget> {
        Ok(Budget::from_document(&self.host_call("budget", &[])?)?)
    }

    /// The plugin's store of a scope. It needs the capabilities `kv.get`, `kv.put`, `kv.delete` and `kv.list`.
    pub fn store(&self, scope: Scope) -> Store<'_> {
        Store::new(self, scope)
    }

    /// Makes an HTTP request to a granted host, with the capability `http.fetch`. Redirects are followed. No
    /// status is an error. In the value of a header, `${secret:NAME}` is replaced by a secret of the grant.
    pub fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse> {
        self.ask("http.fetch", request)
    }

    /// Calls the granted model, without tools and without the hooks around a model call of the
    /// agent. It needs the capability `model.generate`.
    pub fn generate(&self, request: &GenerateRequest) -> Result<ModelResponse> {
        self.ask("model.generate", request)
    }

    /// Runs a tool of the agent and returns its answer, with the capability `tool.call`. If the
    /// tool asks a question, the frame is closed and the hook must return.
    pub fn call_tool(&self, name: impl Into<String>, args: impl Into<Map>) -> Result<Message> {
        let reply: crate::document::ToolReply =
            self.ask("tool.call", &ToolRequest { args: args.into(), name: name.into() })?;
        Ok(reply.tool_message)
    }

    /// The real time in nanoseconds since 1970-01-01 UTC. It needs the capability `clock.now`.
    pub fn clock_now(&self) -> Result<u64> {
        Ok(Clock::from_document(&self.host_call("clock.now", &[])?)?.unix_ns)
    }

    /// Waits, with the capability `clock.sleep`. Waiting does not count as the plugin's own time. The error is
    /// [`Errno::ELIMIT`](crate::Errno::ELIMIT) if the call may not wait that long. New in version 1.1 of the ABI.
    pub fn sleep(&self, time: Duration) -> Result<()> {
        let duration_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.host_call("clock.sleep", &SleepRequest { duration_ms }.to_document()).map(drop)
    }

    /// At most 65,536 unpredictable random bytes. It needs the capability `random.bytes`.
    pub fn random_bytes(&self, count: u64) -> Result<Vec<u8>> {
        let reply: RandomBytes = self.ask("random.bytes", &RandomRequest { count })?;
        Ok(reply.bytes)
    }
}
