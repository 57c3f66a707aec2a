//! guard is an agenthost plugin that keeps prompt injection and links to where none may lead out of what the model
//! reads: out of the answers of tools and, if the operator wants it, out of messages of the user.
//!
//! README.md says what it does and what it cannot do.

mod config;
mod notice;
mod record;
mod scan;
#[cfg(test)]
mod tests;
mod text;
mod url;

use agenthost::{
    Content, Context, Description, Error, HookSpec, MessageRef, Patch, Plugin, Result, Role, ToolAnswer, ToolContext,
    Update, ViewSpec,
};
use config::{Action, Config};
use record::{Record, Source, FINDINGS, QUARANTINE};
use scan::{Passage, Scanner};
use text::Text;

/// The largest text that is returned with passages cut out, in bytes: the host takes documents of 1 MiB.
const LARGEST: usize = 960 << 10;

/// The plugin. It keeps nothing between calls but its configuration.
pub struct Guard {
    config: Config,
    scanner: Scanner,
}

#[agenthost::plugin]
impl Plugin for Guard {
    type Config = Config;

    fn describe() -> Description {
        Description::new("guard", "1.0.0")
            .guards()
            .field(&FINDINGS)
            .field(&QUARANTINE)
            .before_model(HookSpec::new().view(ViewSpec::New).reads(&FINDINGS))
            .wrap_tool_call(HookSpec::new().reads(&FINDINGS))
    }

    fn new(config: Config) -> Result<Self> {
        let scanner = Scanner::new(config.options()?);
        Ok(Guard { config, scanner })
    }

    /// Leaves the hooks that have something to do, and the tools that are to be looked at.
    fn narrow(&self, mut description: Description) -> Option<Description> {
        let hooks = &mut description.hooks;
        if !self.config.apply_to_input {
            hooks.before_model = None;
        }
        if self.config.ignores_all_tools() {
            hooks.wrap_tool_call = None;
        } else if let Some(spec) = &mut hooks.wrap_tool_call {
            spec.tools = self.config.shown_tools();
        }
        Some(description)
    }

    /// Looks at the answer of a tool.
    fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        if self.config.ignore_tools.iter().any(|tool| tool == ctx.tool()) {
            return Ok(ToolAnswer::unchanged());
        }
        let reply = ctx.next()?;
        let text = Text::of(&reply.message());
        let passages = self.scanner.passages(&text.joined);
        if passages.is_empty() {
            return Ok(ToolAnswer::unchanged());
        }
        let source = Source { tool: ctx.tool(), id: ctx.call().id() };
        let mut record = Record::new(ctx, self.config.action);
        record.note(source, &text.joined, &passages);
        let mut update = Update::new();
        record.report(ctx, source, &mut update)?;
        let mut patch = Patch::new().content(self.treat(&text, &passages)?);
        if self.config.action == Action::Block {
            patch = patch.status("error");
        }
        Ok(ToolAnswer::from(patch).with_update(update))
    }

    /// Looks at messages of the user that are new, or were changed.
    fn before_model(&self, ctx: &Context) -> Result<Update> {
        let view = ctx.view();
        let mut record = Record::new(ctx, self.config.action);
        let mut update = Update::new();
        for message in view.replaced().chain(view.messages()).filter(|m| m.role() == Role::Human) {
            if let Some(content) = self.message(&message, &mut record)? {
                update = update.patch(Patch::of(message.id()).content(content));
            }
        }
        record.report(ctx, Source { tool: "", id: "" }, &mut update)?;
        Ok(update)
    }
}

impl Guard {
    /// What becomes of a message of the user, if something is found in it.
    fn message(&self, message: &MessageRef<'_>, record: &mut Record) -> Result<Option<Content>> {
        let text = Text::of(message);
        let passages = self.scanner.passages(&text.joined);
        if passages.is_empty() || notice::is_framed(&text.joined) {
            return Ok(None);
        }
        record.note(Source { tool: "", id: message.id() }, &text.joined, &passages);
        self.treat(&text, &passages).map(Some)
    }

    /// What becomes of a text in which something is found.
    fn treat(&self, text: &Text<'_>, passages: &[Passage]) -> Result<Content> {
        Ok(match self.config.action {
            Action::Quarantine if text.joined.len() <= LARGEST => text.replace(passages, notice::quarantined),
            Action::Flag if text.joined.len() <= LARGEST => {
                let (before, after) = notice::frame(&text.joined, passages);
                text.between(&before, &after)
            }
            Action::Quarantine | Action::Flag | Action::Block => notice::blocked(passages).into(),
            Action::Error => {
                let message = format!("guard: the text holds {}", notice::summary(passages));
                return Err(Error::new("guard_blocked", message));
            }
        })
    }
}
