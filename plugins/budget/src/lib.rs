//! An agenthost plugin that counts the tokens and the money of model calls, per run and per thread, tells the model when most
//! of a budget is used, and ends the run when it is used up. The README says how it is configured.

mod config;
mod money;
mod notice;
mod price;
mod spent;

#[cfg(test)]
mod tests;

use agenthost::{
    log, Context, Description, Errno, Error, HookSpec, Message, MessageRef, ModelAnswer, ModelContext, ModelReply,
    Plugin, RequestChange, Result, Target, Update,
};
use config::{Config, ExitBehavior, UnknownModel};
use price::Prices;
use spent::{Spent, FIELDS, MONEY_FIELDS};

/// The plugin.
pub struct Budget {
    config: Config,
    prices: Prices,
}

#[agenthost::plugin]
impl Plugin for Budget {
    type Config = Config;

    fn describe() -> Description {
        let reads = |spec: HookSpec| FIELDS.iter().fold(spec, |spec, field| spec.reads(*field));
        let description = FIELDS.iter().fold(Description::new("budget", "1.0.0"), |d, field| d.field(*field));
        description
            .guards()
            .before_model(reads(HookSpec::new()).can_jump_to(Target::End))
            .wrap_model_call(reads(HookSpec::new()).passes_tokens())
    }

    fn new(config: Config) -> Result<Self> {
        config.check()?;
        let prices = Prices::new(&config.prices);
        Ok(Budget { config, prices })
    }

    /// Without prices there is no money to count.
    fn narrow(&self, mut description: Description) -> Option<Description> {
        if !self.config.prices.is_empty() {
            return None;
        }
        let is_money = |name: &String| MONEY_FIELDS.iter().any(|field| field.name() == name);
        description.fields.retain(|field| !is_money(&field.name));
        for spec in [&mut description.hooks.before_model, &mut description.hooks.wrap_model_call].into_iter().flatten()
        {
            spec.reads.retain(|name| !is_money(name));
        }
        Some(description)
    }

    /// Ends a run whose budget is used up.
    fn before_model(&self, ctx: &Context) -> Result<Update> {
        let exceeded = Spent::read(ctx)?.beyond(&self.config, 1.0);
        if exceeded.is_empty() {
            return Ok(Update::new());
        }
        let text = notice::ending(&exceeded, &self.config);
        match self.config.exit_behavior {
            ExitBehavior::Error => Err(Error::new("budget_exceeded", text).with_data(notice::data(&exceeded))),
            ExitBehavior::End => Ok(Update::new().message(Message::ai(text)).jump(Target::End)),
        }
    }

    /// Tells the model when most of a budget is used, and counts what the call cost.
    fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
        let asked = ctx.request().model();
        self.check_model(asked)?;
        let close = Spent::read(ctx)?.beyond(&self.config, self.config.warn_at);
        let reply = if close.is_empty() {
            ctx.next()
        } else {
            let gap = if ctx.request().system().is_empty() { "" } else { "\n\n" };
            let text = notice::warning(&close, &self.config);
            ctx.next_with(&RequestChange::new().append_system(format!("{gap}{text}")))
        };
        let reply = match reply {
            Err(e) if e.errno() == Some(Errno::ETOOBIG) => {
                log::warn!(ctx, "the answer is too large to be looked at: it is not counted", model = asked);
                return Ok(ModelAnswer::unchanged());
            }
            reply => reply?,
        };
        Ok(self.count(ctx, &reply, asked).into())
    }
}

impl Budget {
    /// Refuses a model without a price before it costs something, if that is what the operator wants.
    fn check_model(&self, asked: &str) -> Result<()> {
        let must_be_known = self.config.unknown_model == UnknownModel::Error && !self.config.prices.is_empty();
        if must_be_known && self.prices.of(asked).is_none() {
            let text = format!("the model \"{asked}\" has no price: add one to the budget's prices");
            return Err(Error::new("unknown_model", text));
        }
        Ok(())
    }

    /// The update that counts a reply.
    fn count(&self, ctx: &Context, reply: &ModelReply, asked: &str) -> Update {
        let answered = if reply.model().is_empty() { asked } else { reply.model() };
        let price = self.prices.of(reply.model()).or_else(|| self.prices.of(asked));
        let mut spent = Spent::default();
        for usage in reply.messages().filter_map(|message| message.usage()) {
            spent.add(&usage, price);
        }
        let is_cached = |message: MessageRef<'_>| message.meta("cached").and_then(|v| v.as_bool()) == Some(true);
        if spent.tokens == 0 {
            if reply.answer().is_some_and(is_cached) {
                return Update::new(); // of the plugin cache: it cost nothing
            }
            log::warn!(ctx, "the answer has no usage: nothing is counted", model = answered);
        } else if price.is_none() && !self.config.prices.is_empty() {
            log::warn!(ctx, "the model has no price: only its tokens are counted", model = answered);
        }
        spent.update(!self.config.prices.is_empty())
    }
}
