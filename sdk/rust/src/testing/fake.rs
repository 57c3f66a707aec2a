use super::run::Run;
use super::store::Store;
use super::Reply;
use crate::document::{
    Budget, Decode, Description, EventEmit, HookSpec, Message, ModelRequest, StateQuery, StateReply, ViewSpec,
};
use crate::host::{Host, Status};
use crate::log::Level;
use crate::{Errno, Map};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

/// The fake host's data and records.
pub(super) struct State {
    pub input: Vec<u8>,
    pub description: Description,
    pub spec: HookSpec,
    pub has_next: bool,
    pub history: Vec<Message>,
    pub fields: Map,
    pub replies: VecDeque<Reply>,
    pub operations: BTreeMap<String, VecDeque<Reply>>,
    pub store: Store,
    pub request: Option<ModelRequest>,
    pub run: Run,
    pub slept: Duration,
    pub nexts: Vec<Vec<u8>>,
    pub calls: Vec<(String, Vec<u8>)>,
    pub events: Vec<EventEmit>,
    pub log: Vec<(Level, String)>,
    pub closed: Option<Status>,
    pub reply: Vec<u8>, // of the last call, until it is read or another call is made
}

/// The host that a hook sees in a test.
pub(super) struct Fake {
    input: Vec<u8>,
    state: Rc<RefCell<State>>,
}

impl Fake {
    pub(super) fn new(state: &Rc<RefCell<State>>) -> Self {
        Fake { input: state.borrow().input.clone(), state: Rc::clone(state) }
    }
}

impl Host for Fake {
    fn input(&self) -> &[u8] {
        &self.input
    }

    fn next(&self, change: &[u8]) -> (Status, usize) {
        let mut state = self.state.borrow_mut();
        assert!(state.has_next, "next is for wrap hooks only");
        state.nexts.push(change.to_vec());
        let reply = state.replies.pop_front();
        state.answered(
            reply.unwrap_or_else(|| panic!("the hook calls next and the test has no reply left: Test::reply")),
        )
    }

    fn host_call(&self, op: &str, document: &[u8]) -> (Status, usize) {
        let mut state = self.state.borrow_mut();
        state.calls.push((op.to_owned(), document.to_vec()));
        let reply = state.perform(op, document);
        state.answered(reply)
    }

    fn read_reply(&self, length: usize) -> Vec<u8> {
        let reply = std::mem::take(&mut self.state.borrow_mut().reply);
        assert_eq!(reply.len(), length, "the SDK reads a reply that the host has no more");
        reply
    }

    fn log(&self, level: Level, line: &str) {
        self.state.borrow_mut().log.push((level, line.to_owned()));
    }
}

impl State {
    fn answered(&mut self, reply: Reply) -> (Status, usize) {
        if reply.status.closes() {
            self.closed = Some(reply.status);
        }
        self.reply = reply.document;
        (reply.status, self.reply.len())
    }

    pub(super) fn perform(&mut self, op: &str, document: &[u8]) -> Reply {
        if let Some(reply) = self.operations.get_mut(op).and_then(VecDeque::pop_front) {
            return reply;
        }
        match op {
            "state.read" => StateQuery::from_document(document).map_or_else(invalid, |q| self.read(&q)),
            "event.emit" => EventEmit::from_document(document).map_or_else(invalid, |event| {
                self.events.push(event);
                Reply::nothing()
            }),
            "budget" => {
                let (calls, nexts) = (self.calls.len() as u64, self.nexts.len() as u64);
                Reply::document(&Budget { host_calls: 10_000 - calls, next: 10 - nexts })
            }
            "batch" => self.batch(document),
            _ => {
                if let Some(reply) = self.inform(op, document) {
                    return reply;
                }
                assert!(
                    self.description.capabilities.iter().any(|c| c.op == op),
                    "the Description does not ask for the capability {op}"
                );
                let reply = match op {
                    "clock.sleep" => Some(self.sleep(document)),
                    _ => self.store.perform(op, document),
                };
                reply.unwrap_or_else(|| panic!("the hook calls {op} and the test has no reply left: Test::operation"))
            }
        }
    }

    fn read(&self, query: &StateQuery) -> Reply {
        if query.fields.is_empty() {
            if self.spec.messages == ViewSpec::None {
                return Reply::refused(Errno::EDENIED);
            }
            let from = (query.from as usize).min(self.history.len());
            let items = self.history[from..].iter().take(query.count as usize).cloned().collect();
            return Reply::document(&StateReply { items, ..StateReply::default() });
        }
        if query.fields.iter().any(|f| !self.spec.reads.contains(f)) {
            return Reply::refused(Errno::EDENIED);
        }
        let state = query.fields.iter().filter_map(|f| Some((f.clone(), self.fields.get(f)?))).collect();
        Reply::document(&StateReply { items: Vec::new(), state })
    }
}

pub(super) fn invalid<E>(_: E) -> Reply {
    Reply::refused(Errno::EINVAL)
}
