use crate::document::{Failure, Interrupt};
use crate::error::{too_deep, Cause};
use crate::host::{Host, Status};
use crate::log::Level;
use crate::reply::Reply;
use crate::wire::{is_too_deep, Raw};
use crate::{Decode, Errno, Messages, Result, Value, ViewRef};
use core::cell::Cell;

/// One call of a hook.
///
/// The input is read only when the hook asks for it, so a hook that looks at nothing pays nothing.
pub struct Context {
    host: Box<dyn Host>,
    closed: Cell<bool>,
    nexts: Cell<u32>,  // how often next was called
    failed: Cell<u32>, // number of the last next, if it failed; 0: it did not fail
    unread: Cell<Unread>,
    kept: Cell<Option<Box<Kept>>>,
}

/// A reply of `next` that the host no longer has and the hook has not looked at.
struct Kept {
    next: u32, // its number
    document: Vec<u8>,
    others: Option<Box<Kept>>,
}

/// The reply of `next` that the host still has and the hook has not looked at.
#[derive(Clone, Copy, Default)]
struct Unread {
    next: u32, // its number; 0: there is none
    length: usize,
}

impl Context {
    pub(crate) fn new(host: Box<dyn Host>) -> Self {
        Context {
            host,
            closed: Cell::new(false),
            nexts: Cell::new(0),
            failed: Cell::new(0),
            unread: Cell::default(),
            kept: Cell::default(),
        }
    }

    /// The whole input document.
    pub fn input(&self) -> Value<'_> {
        Value::new(self.host.input())
    }

    fn uint(&self, key: &str) -> u64 {
        self.input().get(key).and_then(|v| v.as_u64()).unwrap_or_default()
    }

    fn string(&self, key: &str) -> &str {
        self.input().get(key).and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// Counts the calls of this hook since the agent was built, from 1. It is for information, not for use as state.
    pub fn n(&self) -> u64 {
        self.uint("n")
    }

    /// The time of the call, in nanoseconds since 1970-01-01 UTC. It does not advance during the call.
    pub fn now(&self) -> u64 {
        self.uint("now")
    }

    /// A number that differs from call to call. It is predictable.
    pub fn seed(&self) -> u64 {
        self.uint("seed")
    }

    /// The id of the run.
    pub fn run(&self) -> &str {
        self.string("run")
    }

    /// The id of the thread; empty in a run without one.
    pub fn thread(&self) -> &str {
        self.string("thread")
    }

    /// The name of the step, as in events.
    pub fn step(&self) -> &str {
        self.string("step")
    }

    /// The declared view of the history.
    pub fn view(&self) -> ViewRef<'_> {
        ViewRef::new(self.input().get("messages"))
    }

    /// The messages of the declared view, or none if the hook declared none.
    pub fn messages(&self) -> Messages<'_> {
        self.view().messages()
    }

    /// The value of a state field that the hook lists in `reads`; `None` if it is unset or too large for the
    /// input. [`read_fields`](Self::read_fields) fetches a large field. A [`Field`](crate::Field) does both.
    pub fn state(&self, field: &str) -> Option<Value<'_>> {
        self.input().get("state")?.get(field)
    }

    /// Reports whether a field is set, but left out of the state because of its size.
    pub fn is_large(&self, field: &str) -> bool {
        self.input().get("large").is_some_and(|names| names.items().any(|name| name.as_str() == Some(field)))
    }

    /// Asks the outside world a question. If it was answered, this returns the answer. Otherwise the hook must return the
    /// error, with `?`, and runs again from its start when there is an answer. The key must be unique within the call.
    pub fn interrupt(&self, key: &str, value: impl Into<Raw>) -> Result<Value<'_>> {
        let [answer] = self.interrupts([(key, value.into())])?;
        Ok(answer)
    }

    /// Asks several questions at once. Returns the answers in the order of the questions, or an
    /// error that carries the open questions to the host. See [`interrupt`](Self::interrupt).
    pub fn interrupts<V: Into<Raw>, const N: usize>(&self, questions: [(&str, V); N]) -> Result<[Value<'_>; N]> {
        let given = self.input().get("answers");
        let mut open = Vec::new();
        let answers = questions.map(|(key, value)| {
            let answer = given.and_then(|all| all.get(key));
            if answer.is_none() {
                open.push(Interrupt { key: key.to_owned(), value: value.into() });
            }
            answer.unwrap_or(Value::new(&[0xc0]))
        });
        if open.is_empty() {
            Ok(answers)
        } else {
            Err(Cause::Interrupted(open).into())
        }
    }

    /// Writes a line to the host's log. The macros of [`log`](crate::log) make a line from a message and values.
    pub fn log(&self, level: Level, line: &str) {
        self.host.log(level, line);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.get()
    }

    /// Reports whether an error is the unchanged error of the last `next`, which the host passes on itself.
    pub(crate) fn passes_on(&self, next: u32) -> bool {
        next != 0 && next == self.failed.get()
    }

    /// Calls the inner layers and returns their reply.
    pub(crate) fn call_next(&self, change: &[u8]) -> Result<Reply<'_>> {
        if self.is_closed() {
            return Err(Cause::Closed.into());
        }
        if is_too_deep(change) {
            return Err(too_deep());
        }
        self.keep_unread();
        let (status, length) = self.host.next(change);
        let next = self.nexts.get() + 1;
        self.nexts.set(next);
        self.failed.set(if status == Status::FAILED { next } else { 0 });
        if status == Status::OK {
            self.unread.set(Unread { next, length });
        } else {
            self.accept(status, self.host.read_reply(length), next)?;
        }
        Ok(Reply::unread(self, next))
    }

    /// Reads the reply that the host is about to discard.
    fn keep_unread(&self) {
        let Unread { next, length } = self.unread.take();
        if next != 0 {
            let document = self.host.read_reply(length);
            self.kept.set(Some(Box::new(Kept { next, document, others: self.kept.take() })));
        }
    }

    /// Returns the reply of a next, at which the hook looks for the first time.
    pub(crate) fn take_reply(&self, next: u32) -> Vec<u8> {
        let unread = self.unread.get();
        if unread.next == next {
            self.unread.take();
            return self.host.read_reply(unread.length);
        }
        self.take_kept(next)
    }

    fn take_kept(&self, next: u32) -> Vec<u8> {
        let (mut found, mut others) = (Vec::new(), None);
        let mut list = self.kept.take();
        while let Some(mut kept) = list {
            list = kept.others.take();
            if kept.next == next {
                found = kept.document;
            } else {
                kept.others = others;
                others = Some(kept);
            }
        }
        self.kept.set(others);
        found
    }

    /// Forgets the reply of a next, at which the hook will not look.
    pub(crate) fn drop_reply(&self, next: u32) {
        if self.unread.get().next == next {
            self.unread.take();
        } else {
            self.take_kept(next);
        }
    }

    /// Calls an operation and returns its reply.
    pub(crate) fn host_call(&self, op: &str, document: &[u8]) -> Result<Vec<u8>> {
        if self.is_closed() {
            return Err(Cause::Closed.into());
        }
        if is_too_deep(document) {
            return Err(too_deep());
        }
        self.keep_unread();
        let (status, length) = self.host.host_call(op, document);
        self.accept(status, self.host.read_reply(length), 0)
    }

    /// Returns the reply of a call that has succeeded. `next` is the number of the call of next; 0: it was another call.
    pub(crate) fn accept(&self, status: Status, reply: Vec<u8>, next: u32) -> Result<Vec<u8>> {
        if status == Status::OK {
            return Ok(reply);
        }
        Err(match status {
            Status::FAILED => Cause::Failed(Failure::from_document(&reply)?, next),
            closing if closing.closes() => {
                self.closed.set(true);
                Cause::Closed
            }
            Status(errno) => Cause::Refused(Errno(errno)),
        }
        .into())
    }
}
