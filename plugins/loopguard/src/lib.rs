//! An agenthost plugin that notices when a run goes in circles: the same tool calls again and again, or a few of them in
//! turn, with the same results. It tells the model, or ends the run. The README says how it is configured.

mod config;
mod fingerprint;
mod notice;
mod step;
mod trail;

#[cfg(test)]
mod tests;

use agenthost::document::ToolCall;
use agenthost::{
    Block, Content, Context, Description, Error, Field, HookSpec, Map, Message, MessageRef, Patch, Plugin, Raw, Result,
    Role, Target, Update, ViewSpec,
};
use config::{Action, Config};
use step::Step;
use trail::{Loop, Trail};

/// What the run has done so far. Unset until its first model call: what was before that is no part of the run.
static TRAIL: Field<Trail> = Field::new("loopguard").run().private();

/// The plugin.
pub struct LoopGuard {
    config: Config,
}

#[agenthost::plugin]
impl Plugin for LoopGuard {
    type Config = Config;

    fn describe() -> Description {
        let spec = HookSpec::new().view(ViewSpec::New).reads(&TRAIL);
        Description::new("loopguard", "1.0.0")
            .guards()
            .field(&TRAIL)
            .before_model(spec.clone())
            .after_model(spec.can_jump_to(Target::End))
    }

    fn new(config: Config) -> Result<Self> {
        config.check()?;
        Ok(LoopGuard { config })
    }

    /// A guard that only warns has nothing to do when the model has answered.
    fn narrow(&self, mut description: Description) -> Option<Description> {
        if self.config.action != Action::Warn {
            return None;
        }
        description.hooks.after_model = None;
        Some(description)
    }

    /// Takes in what was done since the last model call, and warns of a loop.
    fn before_model(&self, ctx: &Context) -> Result<Update> {
        let mut update = Update::new();
        let Some(mut trail) = TRAIL.get(ctx)? else {
            TRAIL.set(&mut update, Trail::default());
            return Ok(update);
        };
        let mut steps = self.new_steps(ctx, trail.last());
        steps.retain(|step| !step.is_empty());
        let Some(last) = steps.last() else {
            return Ok(update);
        };
        for step in &steps {
            trail.push(step.done(&self.config), &self.config);
        }
        if let Some(found) = trail.completed(&self.config) {
            self.report(ctx, &found, Action::Warn)?;
            update = warn(last, &notice::warning(&found, &self.config));
        }
        TRAIL.set(&mut update, trail);
        Ok(update)
    }

    /// Ends the run when the model goes on with a loop.
    fn after_model(&self, ctx: &Context) -> Result<Update> {
        let Some(trail) = TRAIL.get(ctx)? else {
            return Ok(Update::new());
        };
        let Some(asked) = self.new_steps(ctx, trail.last()).pop().filter(|step| !step.is_empty()) else {
            return Ok(Update::new());
        };
        let Some(found) = trail.continued(asked.calls_hash(), &self.config) else {
            return Ok(Update::new());
        };
        self.report(ctx, &found, self.config.action)?;
        let text = notice::ending(&found, &self.config);
        if self.config.action == Action::Error {
            return Err(Error::new("loop_detected", text).with_data(event(&found, Action::Error)));
        }
        let mut update = Update::new().jump(Target::End);
        for call in asked.message().tool_calls().filter(|call| !asked.is_answered(call.id())) {
            update = update.message(refusal(&call.to_call()?, &found));
        }
        Ok(update.message(Message::ai(text)))
    }
}

impl LoopGuard {
    /// The steps in the view, but the one that is known already. After a reset the view holds the whole history: only its
    /// last step can be new then.
    fn new_steps<'a>(&self, ctx: &'a Context, known: &str) -> Vec<Step<'a>> {
        let mut steps: Vec<Step<'a>> = Vec::new();
        for message in ctx.messages() {
            match message.role() {
                Role::Ai => {
                    if ctx.view().is_reset() {
                        steps.clear();
                    }
                    steps.push(Step::of(message, &self.config));
                }
                Role::Tool => {
                    if let Some(step) = steps.last_mut() {
                        step.answer(message);
                    }
                }
                _ => {}
            }
        }
        steps.retain(|step| step.message().id() != known);
        steps
    }

    fn report(&self, ctx: &Context, found: &Loop, action: Action) -> Result<()> {
        ctx.emit("loop_detected", event(found, action))
    }
}

fn event(found: &Loop, action: Action) -> Raw {
    Map::new()
        .with("kind", found.kind())
        .with("tools", found.tools())
        .with("count", found.times)
        .with("action", action.as_str())
        .into()
}

/// Answers that are longer, in bytes, are not written again to say something behind them: a message of the user says it.
const LONGEST_PATCH: usize = 256 << 10;

/// Says something behind the last answer of a step, where every provider takes it.
fn warn(step: &Step<'_>, text: &str) -> Update {
    let Some(answer) = step.last_answer() else {
        return Update::new(); // the calls are open: nothing may stand behind them
    };
    if answer.get("content").is_some_and(|content| content.bytes().len() > LONGEST_PATCH) {
        return Update::new().message(Message::human(text));
    }
    Update::new().patch(Patch::of(answer.id()).content(with_text(answer, text)))
}

fn with_text(message: MessageRef<'_>, text: &str) -> Content {
    let content = message.content();
    if content.is_text() {
        let said = content.text();
        let gap = if said.is_empty() { "" } else { "\n\n" };
        return Content::text_of(said + gap + text);
    }
    let mut blocks = content.blocks();
    blocks.push(Block::text_of(text));
    Content::of_blocks(blocks)
}

/// Answers a call that is not performed.
fn refusal(call: &ToolCall, found: &Loop) -> Message {
    Message { status: "error".into(), ..Message::tool(call, notice::refusal(found)) }
}
