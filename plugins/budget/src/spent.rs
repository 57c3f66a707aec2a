use crate::config::{Config, Limits};
use crate::money::Micros;
use crate::price::Price;
use agenthost::document::Usage;
use agenthost::{Context, Field, Result, Update};

// What runs and threads have used; money in millionths of the currency.
static RUN_TOKENS: Field<u64> = Field::new("budget_run_tokens").run().add().hide_input();
static RUN_MONEY: Field<u64> = Field::new("budget_run_money").run().add().hide_input();
static THREAD_TOKENS: Field<u64> = Field::new("budget_thread_tokens").add().hide_input();
static THREAD_MONEY: Field<u64> = Field::new("budget_thread_money").add().hide_input();

pub static FIELDS: [&Field<u64>; 4] = [&RUN_TOKENS, &RUN_MONEY, &THREAD_TOKENS, &THREAD_MONEY];
pub static MONEY_FIELDS: [&Field<u64>; 2] = [&RUN_MONEY, &THREAD_MONEY];

/// What model calls have used.
#[derive(Clone, Copy, Default)]
pub struct Spent {
    pub tokens: u64,
    pub money: u64,
}

/// What run and thread have used so far.
pub struct Total {
    run: Spent,
    thread: Spent,
}

/// A budget of which much is used.
pub struct Used {
    pub scope: &'static str, // run or thread
    pub is_money: bool,
    pub used: u64,
    pub limit: u64,
}

impl Spent {
    /// What the fields say.
    pub fn read(ctx: &Context) -> Result<Total> {
        let read = |tokens: &Field<u64>, money: &Field<u64>| -> Result<Spent> {
            Ok(Spent { tokens: tokens.get_or_default(ctx)?, money: money.get_or_default(ctx)? })
        };
        Ok(Total { run: read(&RUN_TOKENS, &RUN_MONEY)?, thread: read(&THREAD_TOKENS, &THREAD_MONEY)? })
    }

    /// Adds what one message cost.
    pub fn add(&mut self, usage: &Usage, price: Option<Price>) {
        let both = usage.input_tokens.saturating_add(usage.output_tokens);
        self.tokens = self.tokens.saturating_add(both.max(usage.total_tokens));
        let cost = price.map_or(Micros(0), |price| price.cost(usage.input_tokens, usage.output_tokens));
        self.money = self.money.saturating_add(cost.0);
    }

    /// The update that adds it to the fields.
    pub fn update(&self, with_money: bool) -> Update {
        let mut update = Update::new();
        if self.tokens > 0 {
            RUN_TOKENS.set(&mut update, self.tokens);
            THREAD_TOKENS.set(&mut update, self.tokens);
        }
        if with_money && self.money > 0 {
            RUN_MONEY.set(&mut update, self.money);
            THREAD_MONEY.set(&mut update, self.money);
        }
        update
    }
}

impl Total {
    /// The budgets of which this share or more is used.
    pub fn beyond(&self, config: &Config, share: f64) -> Vec<Used> {
        let of = |scope, spent: Spent, limits: &Option<Limits>| {
            let tokens = limits.as_ref().and_then(|l| l.tokens);
            let money = limits.as_ref().and_then(Limits::micros);
            [(false, spent.tokens, tokens), (true, spent.money, money)].map(|(is_money, used, limit)| {
                let limit = limit.filter(|limit| used as f64 >= *limit as f64 * share)?;
                Some(Used { scope, is_money, used, limit })
            })
        };
        let all = [of("run", self.run, &config.run), of("thread", self.thread, &config.thread)];
        all.into_iter().flatten().flatten().collect()
    }
}
