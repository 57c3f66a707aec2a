//! A host for tests. It calls hooks natively; the test provides their input and the answers of the host.
//!
//! ```
//! use agenthost::testing::Test;
//! use agenthost::{Context, Description, Field, HookSpec, Plugin, Result, Update};
//!
//! static CALLS: Field<u64> = Field::new("calls").run().add();
//!
//! /// Asks before the third model call of a run.
//! #[derive(Default)]
//! struct Turns;
//!
//! #[agenthost::plugin]
//! impl Plugin for Turns {
//!     fn describe() -> Description {
//!         Description::new("turns", "1.0.0").field(&CALLS).before_model(HookSpec::new().reads(&CALLS))
//!     }
//!
//!     fn before_model(&self, ctx: &Context) -> Result<Update> {
//!         if CALLS.get(ctx)? == Some(2) {
//!             ctx.interrupt("continue", "two calls so far; go on?")?;
//!         }
//!         let mut update = Update::new();
//!         CALLS.set(&mut update, 1);
//!         Ok(update)
//!     }
//! }
//!
//! let outcome = Test::<Turns>::new().state("calls", 2).before_model();
//! assert_eq!(outcome.interrupts[0].key, "continue");
//!
//! let outcome = Test::<Turns>::new().state("calls", 2).answer("continue", true).before_model();
//! assert_eq!(outcome.state("calls"), Some(1.into()));
//! ```
//!
//! The test panics with a reason where a host would refuse: for fields and jump targets that the Description
//! does not declare, and for operations that it does not ask for. It also panics if a reply is missing.

mod fake;
mod outcome;
mod perform;
mod reply;
mod run;
mod store;
mod test;

pub use outcome::Outcome;
pub use reply::Reply;
pub use test::{configure, Test};
