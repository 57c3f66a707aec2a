//! How an accumulator handles changes of the history.

use agenthost::testing::{Outcome, Reply, Test};
use agenthost::{Accumulator, Context, Description, Errno, HookSpec, Message, Plugin, Result, Update, ViewSpec};

static TEXTS: Accumulator<String> = Accumulator::new("texts", |all, message| *all += &message.text());

#[derive(Default)]
struct Texts;

#[agenthost::plugin]
impl Plugin for Texts {
    fn describe() -> Description {
        let spec = HookSpec::new().view(ViewSpec::New).reads(&TEXTS);
        Description::new("texts", "1.0.0").field(&TEXTS).before_model(spec)
    }

    fn before_model(&self, ctx: &Context) -> Result<Update> {
        let mut update = Update::new();
        TEXTS.fold(ctx, &mut update)?;
        Ok(update)
    }
}

fn history(n: usize) -> Vec<Message> {
    (0..n).map(|i| Message::human((i % 10).to_string())).collect()
}

fn texts(outcome: &Outcome) -> String {
    outcome.state("texts").unwrap().value().as_str().unwrap().to_owned()
}

#[test]
fn the_first_call_folds_all() {
    let outcome = Test::<Texts>::new().messages(history(4)).before_model();
    assert_eq!(texts(&outcome), "0123");
    assert!(outcome.calls.is_empty());
}

#[test]
fn a_reset_forgets_what_was_there() {
    let outcome = Test::<Texts>::new().messages(history(2)).state("texts", "old").before_model();
    assert_eq!(texts(&outcome), "01");
}

#[test]
fn only_what_is_new_is_folded() {
    let outcome = Test::<Texts>::new().messages(history(4)).seen(3).state("texts", "old").before_model();
    assert_eq!(texts(&outcome), "old3");
    assert!(outcome.calls.is_empty());
}

#[test]
fn nothing_new_writes_nothing() {
    let outcome = Test::<Texts>::new().messages(history(4)).seen(4).state("texts", "old").before_model();
    assert!(outcome.result.is_none());
}

#[test]
fn what_was_changed_or_removed_is_read_anew_in_pages() {
    let test = || Test::<Texts>::new().messages(history(600)).seen(600).state("texts", "old");
    let whole: String = history(600).iter().map(|m| m.content.text()).collect();
    let outcome = test().replaced(Message::human("0").with_id("m1")).before_model();
    assert_eq!(texts(&outcome), whole);
    assert_eq!(outcome.calls.len(), 4, "three pages and the end");
    assert_eq!(texts(&test().removed("m0").before_model()), whole);
}

#[test]
fn a_page_that_is_too_large_is_asked_for_in_parts() {
    let test = Test::<Texts>::new().messages(history(300)).seen(300).removed("m0").state("texts", "old");
    let outcome = test.operation("state.read", Reply::refused(Errno::ETOOBIG)).before_model();
    assert_eq!(texts(&outcome).len(), 300);
    assert_eq!(outcome.calls.len(), 5, "one refused, three of 128, and the end");
}
