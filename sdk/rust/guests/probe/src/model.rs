//! The hook wrap_model_call.

use crate::action::{Act, Action, Transform};
use crate::behavior;
use crate::call::{call_next, error_names, line, log, Chain};
use crate::message::message;
use crate::strict::Object;
use crate::text::mistake;
use crate::update;
use agenthost::document::ModelResponse;
use agenthost::{
    Content, Map, Message, ModelAnswer, ModelContext, Patch, RequestChange, ResponseChange, Result, Role, ToolSpec,
    Update,
};

/// A change of the request for the following calls of next.
pub struct Override {
    system: Option<String>,
    append_system: Option<String>,
    messages: Vec<Message>,
    more: Vec<Message>,
    replaces: bool, // messages was given
    tools: Option<Vec<String>>,
    add_tools: Vec<ToolSpec>,
    tool_choice: Option<String>,
    settings: Map,
    model: String,
}

impl Override {
    pub fn parse(o: &Object<'_>) -> Result<Self> {
        let text = |key: &str| o.has(key).then(|| o.text(key)).transpose();
        let messages = |key: &str| o.objects(key)?.iter().map(message).collect::<Result<_>>();
        let parsed = Override {
            system: text("system_prompt")?,
            append_system: text("append_system_prompt")?,
            messages: messages("messages")?,
            more: messages("append_messages")?,
            replaces: o.has("messages"),
            tools: o.texts("tools")?,
            add_tools: behavior::tools(o, "add_tools")?.into_iter().map(|t| t.spec).collect(),
            tool_choice: text("tool_choice")?,
            settings: o.map("settings")?.unwrap_or_default(),
            model: o.text("model")?,
        };
        o.done()?;
        Ok(parsed)
    }

    /// Adds the override to earlier changes.
    fn apply(&self, change: &mut RequestChange, ctx: &ModelContext) {
        if let Some(system) = &self.system {
            change.system = Some(system.as_str().into());
        }
        if let Some(more) = &self.append_system {
            let system = change.system.take().unwrap_or_else(|| ctx.request().system());
            change.system = Some((system.text() + more).into());
        }
        if self.replaces {
            change.overwrite = true;
            change.messages.clear();
        }
        change.messages.extend(self.messages.iter().chain(&self.more).cloned());
        if let Some(keep) = &self.tools {
            let offered = change.tools.take().unwrap_or_else(|| ctx.request().tools().map(str::to_owned).collect());
            change.tools = Some(offered.into_iter().filter(|name| keep.contains(name)).collect());
            change.add_tools.retain(|tool| keep.contains(&tool.name));
        }
        change.add_tools.extend(self.add_tools.iter().cloned());
        if let Some(choice) = &self.tool_choice {
            change.tool_choice = Some(choice.clone());
        }
        change.settings.merge(&self.settings);
        if !self.model.is_empty() {
            change.model = self.model.clone();
        }
    }
}

/// One call of the hook on its way through the actions.
struct Wrap<'a> {
    ctx: &'a ModelContext,
    change: Option<RequestChange>,
    update: Update,
    reply: Option<ModelResponse>, // reply of the last next, unless respond came after it
    response: Option<ResponseChange>,
}

/// Performs a call of wrap_model_call.
pub fn perform(actions: &[Action], ctx: &ModelContext) -> Result<ModelAnswer> {
    let mut wrap = Wrap { ctx, change: None, update: Update::new(), reply: None, response: None };
    for action in actions.iter().filter(|a| a.is_due(ctx.n())) {
        wrap.act(&action.act)?;
    }
    if wrap.reply.is_none() && wrap.response.is_none() {
        return Err(mistake("wrap_model_call: the script ends without a response"));
    }
    Ok(ModelAnswer { response: wrap.response, update: wrap.update })
}

impl Wrap<'_> {
    fn act(&mut self, act: &Act) -> Result<()> {
        match act {
            Act::Log(text) => log(self.ctx, &line(self.ctx, text, |_| None)),
            Act::OverrideRequest(change) => change.apply(self.change.get_or_insert_default(), self.ctx),
            Act::Next { retries, on_error } => return self.next(*retries, on_error.as_deref()),
            Act::RespondModel(message) => self.respond(message),
            Act::Transform(transform) => return self.transform(transform),
            Act::Update(raw) => return update::add(&mut self.update, raw, self.ctx.n(), "command"),
            Act::Raise(failure) => return Err(failure.clone().into()),
            _ => {} // actions of node hooks; the parser refuses them here
        }
        Ok(())
    }

    fn next(&mut self, retries: i64, on_error: Option<&str>) -> Result<()> {
        let next = || match &self.change {
            Some(change) => self.ctx.next_with(change),
            None => self.ctx.next(),
        };
        match call_next(retries, on_error.is_some(), next)? {
            Chain::Reply(reply) => {
                self.reply = Some(reply.to_response()?);
                self.response = None;
            }
            Chain::Failure(failure) => {
                let text = line(self.ctx, on_error.unwrap_or_default(), error_names(&failure));
                self.respond(&Message::ai(text));
            }
        }
        Ok(())
    }

    fn respond(&mut self, message: &Message) {
        self.reply = None;
        self.response = Some(message.clone().into());
    }

    /// Changes the content of the response's last AI message.
    fn transform(&mut self, transform: &Transform) -> Result<()> {
        let mut patches = match (&self.response, &self.reply) {
            (Some(response), _) => response.messages.clone(),
            (None, Some(reply)) => reply.messages.iter().map(|m| Patch::of(&m.id)).collect(),
            (None, None) => return Err(mistake("transform: there is no response yet")),
        };
        let Some((place, text)) = self.answer(&patches) else {
            return Err(mistake("transform: the response has no AI message"));
        };
        patches[place] = core::mem::take(&mut patches[place]).content(transform.apply(&text));
        self.response = Some(ResponseChange { messages: patches, ..ResponseChange::new() });
        Ok(())
    }

    /// Finds the last AI message of the response and its text.
    fn answer(&self, patches: &[Patch]) -> Option<(usize, String)> {
        patches.iter().enumerate().rev().find_map(|(i, patch)| {
            let (role, content) = match &self.reply {
                Some(reply) => (reply.messages[i].role, reply.messages[i].content.clone()),
                None => (Role::Ai, Content::default()),
            };
            let content = patch.content_set().unwrap_or(content);
            (role == Role::Ai).then(|| (i, content.text()))
        })
    }
}
