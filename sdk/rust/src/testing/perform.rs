use super::fake::{Fake, State};
use super::{Outcome, Test};
use crate::document::{Decode, Encode, HookResult, HookSpec, View, ViewSpec};
use crate::{dispatch, Context, Hook, Plugin, Result};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

impl<P: Plugin> Test<P> {
    pub(super) fn perform(
        mut self,
        hook: Option<Hook>,
        call: impl FnOnce(&P, Context) -> (Context, Result<Option<HookResult>>),
    ) -> Outcome {
        let spec = self.spec(hook);
        let name = hook.map_or("call_tool", Hook::as_str);
        self.show(hook, &spec, name);
        let own = self.own_fields();
        let state = Rc::new(RefCell::new(State {
            input: self.input.to_document(),
            description: self.description,
            has_next: matches!(hook, Some(Hook::WrapModelCall | Hook::WrapToolCall)),
            spec: spec.clone(),
            history: self.history,
            fields: self.fields,
            replies: self.replies,
            operations: self.operations,
            store: self.store,
            request: self.input.request.filter(|_| hook == Some(Hook::WrapModelCall)),
            run: self.run,
            slept: Duration::ZERO,
            nexts: Vec::new(),
            calls: Vec::new(),
            events: Vec::new(),
            log: Vec::new(),
            closed: None,
            reply: Vec::new(),
        }));
        let (ctx, said) = call(&self.plugin, Context::new(Box::new(Fake::new(&state))));
        let mut out = Vec::new();
        let is_written = dispatch::finish(&ctx, said, &mut out);
        drop(ctx);
        let result = is_written.then(|| HookResult::from_document(&out).expect("the SDK wrote the result"));
        if let Some(result) = &result {
            check(result, &spec, &own, name);
        }
        let mut outcome = Outcome::of(result);
        let mut state = state.borrow_mut();
        outcome.nexts = std::mem::take(&mut state.nexts);
        outcome.calls = std::mem::take(&mut state.calls);
        outcome.events = std::mem::take(&mut state.events);
        outcome.log = std::mem::take(&mut state.log);
        outcome.slept = state.slept;
        outcome.closed = state.closed.is_some();
        outcome.store = std::mem::take(&mut state.store);
        outcome
    }

    /// Puts the messages and fields into the input that the hook declares.
    fn show(&mut self, hook: Option<Hook>, spec: &HookSpec, name: &str) {
        self.input.step = match hook {
            Some(_) => format!("{}.{name}", self.description.name),
            None => "tools".to_owned(),
        };
        for (field, value) in self.fields.iter() {
            assert!(
                spec.reads.iter().any(|read| read == field),
                "the test sets the field {field}, which {name} does not list in reads"
            );
            if self.large.iter().any(|large| large == field) {
                self.input.large.push(field.to_owned());
            } else {
                self.input.state.set(field, value.clone());
            }
        }
        let view = self.view(spec.messages);
        match (hook, &mut self.input.request) {
            (Some(Hook::WrapModelCall), Some(request)) => request.messages = view,
            (Some(_), _) => self.input.messages = view,
            (None, _) => {}
        }
    }

    fn view(&self, spec: ViewSpec) -> Option<View> {
        let total = self.history.len();
        let shown = match spec {
            ViewSpec::None | ViewSpec::Last(0) => return None,
            ViewSpec::Last(k) => total.min(k as usize),
            ViewSpec::All => total,
            ViewSpec::New => total.saturating_sub(self.seen.unwrap_or_default()),
        };
        let mut view = View {
            from: (total - shown) as u64,
            items: self.history[total - shown..].to_vec(),
            total: total as u64,
            ..View::default()
        };
        if spec == ViewSpec::New {
            view.reset = self.seen.is_none();
            view.patch = self.changed.clone();
            view.remove = self.removed.clone();
        }
        Some(view)
    }
}

/// Panics if the result exceeds the Description, where a host would refuse it.
fn check(result: &HookResult, spec: &HookSpec, own: &[String], name: &str) {
    for (field, _) in result.state.iter() {
        assert!(
            own.iter().chain(&spec.writes).any(|declared| declared == field),
            "{name} writes the field {field}, which the Description does not declare"
        );
    }
    let target = &result.jump_to;
    assert!(
        target.is_empty() || spec.can_jump_to.contains(target),
        "{name} jumps to {target}, which its spec does not list in can_jump_to"
    );
}
