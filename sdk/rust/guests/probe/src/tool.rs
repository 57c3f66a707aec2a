//! The hook wrap_tool_call.

use crate::action::{Act, Action, Transform};
use crate::call::{call_next, error_names, line, log, Chain};
use crate::text::mistake;
use crate::update;
use agenthost::{CallChange, Patch, Result, ToolAnswer, ToolContext, ToolReply, Update};

/// One call of the hook on its way through the actions.
struct Wrap<'a> {
    ctx: &'a ToolContext,
    change: Option<CallChange>,
    update: Update,
    reply: Option<ToolReply<'a>>, // reply of the last next, unless respond came after it
    answer: Option<Patch>,        // how the answer differs from the reply
}

/// Performs a call of wrap_tool_call.
pub fn perform(actions: &[Action], ctx: &ToolContext) -> Result<ToolAnswer> {
    let mut wrap = Wrap { ctx, change: None, update: Update::new(), reply: None, answer: None };
    for action in actions.iter().filter(|a| a.is_due(ctx.n())) {
        wrap.act(&action.act)?;
    }
    if wrap.reply.is_none() && wrap.answer.is_none() {
        return Err(mistake("wrap_tool_call: the script ends without an answer"));
    }
    Ok(ToolAnswer { message: wrap.answer, update: wrap.update })
}

impl Wrap<'_> {
    fn act(&mut self, act: &Act) -> Result<()> {
        match act {
            Act::Log(text) => log(self.ctx, &line(self.ctx, text, |name| self.name(name))),
            Act::OverrideCall(change) => self.change_call(change),
            Act::Next { retries, on_error } => return self.next(*retries, on_error.as_deref()),
            Act::RespondTool { text, status } => {
                let text = line(self.ctx, text, |name| self.name(name));
                self.respond(text, status);
            }
            Act::Transform(transform) => return self.transform(transform),
            Act::Update(raw) => return update::add(&mut self.update, raw, self.ctx.n(), "command"),
            Act::Raise(failure) => return Err(failure.clone().into()),
            _ => {} // actions of node hooks; the parser refuses them here
        }
        Ok(())
    }

    /// Further names that texts of this hook may use: parts of the current call.
    fn name(&self, name: &str) -> Option<String> {
        match name {
            "tool" => Some(self.tool_name()),
            "id" => Some(self.ctx.call().id().to_owned()),
            "known" => {
                let runs_another = self.change.as_ref().is_some_and(|c| !c.tool.is_empty());
                Some((self.ctx.known() || runs_another).to_string())
            }
            _ => None,
        }
    }

    fn tool_name(&self) -> String {
        let changed = self.change.as_ref().map(|c| c.name.as_str()).filter(|name| !name.is_empty());
        changed.unwrap_or(self.ctx.tool()).to_owned()
    }

    fn change_call(&mut self, more: &CallChange) {
        let change = self.change.get_or_insert_default();
        if more.args.is_some() {
            change.args = more.args.clone();
            change.set_args = Default::default();
        }
        change.set_args.merge(&more.set_args);
        if !more.name.is_empty() {
            change.name = more.name.clone();
        }
        if !more.tool.is_empty() {
            change.tool = more.tool.clone();
        }
    }

    fn next(&mut self, retries: i64, on_error: Option<&str>) -> Result<()> {
        let next = || match &self.change {
            Some(change) => self.ctx.next_with(change),
            None => self.ctx.next(),
        };
        match call_next(retries, on_error.is_some(), next)? {
            Chain::Reply(reply) => {
                self.reply = Some(reply);
                self.answer = None;
            }
            Chain::Failure(failure) => {
                let of_error = error_names(&failure);
                let names = |name: &str| of_error(name).or_else(|| self.name(name));
                let text = line(self.ctx, on_error.unwrap_or_default(), names);
                self.respond(text, "error");
            }
        }
        Ok(())
    }

    fn respond(&mut self, text: String, status: &str) {
        self.reply = None;
        self.answer = Some(Patch::new().content(text).status(status).with("name", self.tool_name()));
    }

    fn transform(&mut self, transform: &Transform) -> Result<()> {
        let (answer, content) = match (self.answer.take(), &self.reply) {
            (Some(answer), _) => {
                let content = answer.content_set().unwrap_or_default();
                (answer, content)
            }
            (None, Some(reply)) => (Patch::new(), reply.message().content()),
            (None, None) => return Err(mistake("transform: there is no answer yet")),
        };
        self.answer = Some(answer.content(transform.apply(&content.text())));
        Ok(())
    }
}
