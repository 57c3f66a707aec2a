//! A host for tests: hooks are called natively, with what they are shown and what the host answers given by the test.
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
//! What a host would refuse, the test refuses with a panic that says why: fields and jump targets that the Description does
//! not declare, operations that it does not ask for, and replies that the test forgot.

mod fake;
mod outcome;
mod perform;
mod reply;
mod store;
mod test;

pub use outcome::Outcome;
pub use reply::Reply;
pub use test::{configure, Test};
