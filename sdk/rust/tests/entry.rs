//! Entries of the store with values of a type.

use agenthost::testing::{Reply, Test};
use agenthost::*;

#[derive(Default)]
struct Counter;

#[agenthost::plugin]
impl Plugin for Counter {
    fn describe() -> Description {
        let why = "It counts.";
        let counter = Description::new("counter", "1.0.0");
        counter.capability(op::KV_GET, why).capability(op::KV_PUT, why).capability(op::KV_DELETE, why)
    }

    /// Counts to three, and fails then.
    fn before_model(&self, ctx: &Context) -> Result<Update> {
        let count = ctx.store(Scope::Thread).entry::<u8>("count");
        let n = count.update(|n| if n < 3 { Ok(n + 1) } else { Err(Error::new("full", "no more")) })?;
        assert_eq!(count.get()?, Some(n));
        Ok(Update::new())
    }

    fn after_model(&self, ctx: &Context) -> Result<Update> {
        let count = ctx.store(Scope::Thread).entry::<u8>("count");
        count.put(&9)?;
        count.delete()?;
        assert_eq!(count.get()?, None);
        Ok(Update::new())
    }
}

#[test]
fn an_update_starts_at_the_default() {
    let outcome = Test::<Counter>::new().before_model();
    assert_eq!(outcome.stored(Scope::Thread, "count"), Some(1.into()));
    assert!(Test::<Counter>::new().after_model().error.is_none());
}

#[test]
fn an_update_is_tried_again_after_a_conflict() {
    let conflict = || Reply::refused(Errno::ECONFLICT);
    let outcome = Test::<Counter>::new()
        .stored(Scope::Thread, "count", 1)
        .operation(op::KV_PUT, conflict())
        .operation(op::KV_PUT, conflict())
        .before_model();
    assert_eq!(outcome.stored(Scope::Thread, "count"), Some(2.into()));
    let reads = outcome.calls.iter().filter(|(op, _)| op == op::KV_GET).count();
    assert_eq!(reads, 4, "one before each attempt, and one of the hook");
}

#[test]
fn an_update_that_fails_writes_nothing() {
    let outcome = Test::<Counter>::new().stored(Scope::Thread, "count", 3).before_model();
    assert_eq!(outcome.error.unwrap().kind, "full");
    let outcome = Test::<Counter>::new().stored(Scope::Thread, "count", "three").before_model();
    assert_eq!(outcome.error.unwrap().message, r#"count: the string "three" is not u8"#);
    let outcome = Test::<Counter>::new().operation(op::KV_PUT, Reply::refused(Errno::ELIMIT)).before_model();
    assert_eq!(outcome.error.unwrap().kind, "ELIMIT");
}
