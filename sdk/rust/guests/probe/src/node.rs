//! Node hooks.

use crate::action::{Act, Action};
use crate::call::{increased, line, log, state};
use crate::update;
use agenthost::{Context, Result, Update};

/// Performs a call of a node hook.
pub fn perform(actions: &[Action], ctx: &Context) -> Result<Update> {
    let mut update = Update::new();
    for (place, action) in actions.iter().enumerate().filter(|(_, a)| a.is_due(ctx.n())) {
        act(&action.act, ctx, &mut update, &place.to_string())?;
    }
    Ok(update)
}

fn act(act: &Act, ctx: &Context, update: &mut Update, key: &str) -> Result<()> {
    match act {
        Act::Log(text) => log(ctx, &line(ctx, text, |_| None)),
        Act::Update(raw) => update::add(update, raw, ctx.n(), "update")?,
        Act::Increment { field, by } => update.state.set(field, increased(&state(ctx, field), by)?),
        Act::Jump(target) => update.jump_to = Some(*target),
        Act::Interrupt { ask, into } => {
            let answer = ctx.interrupt(key, ask.clone())?;
            if !into.is_empty() {
                update.state.set(into, answer);
            }
        }
        Act::Raise(failure) => return Err(failure.clone().into()),
        _ => {} // actions of wrap hooks; the parser refuses them here
    }
    Ok(())
}
