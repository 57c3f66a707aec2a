//! Questions about tool calls.

use agenthost::testing::{Outcome, Reply, Test};
use agenthost::*;

#[derive(Default)]
struct Asking;

#[agenthost::plugin]
impl Plugin for Asking {
    fn describe() -> Description {
        Description::new("asking", "1.0.0")
    }

    /// Any decision about a payment is allowed; anything else may not be rejected.
    fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        let few = [DecisionType::Approve, DecisionType::Edit, DecisionType::Respond];
        let approval = Approval::new("Costs money.");
        let approval = if ctx.tool() == "pay" { approval } else { approval.allow(&few) };
        approval.wrap(ctx)
    }
}

fn question(tool: &str, sum: u64) -> String {
    Test::<Asking>::new().call(tool, [("sum", sum)]).wrap_tool_call().interrupts[0].key.clone()
}

fn decided(tool: &str, answer: impl Into<Raw>) -> Outcome {
    let key = question(tool, 250);
    let reply = Reply::tool(Message::tool(&agenthost::document::ToolCall::default(), "paid"));
    Test::<Asking>::new().call(tool, [("sum", 250)]).answer(&key, answer).reply(reply).wrap_tool_call()
}

fn edit(tool: &str) -> Map {
    let action = Map::new().with("name", tool).with("args", Map::from([("sum", 100)]));
    Map::new().with("type", "edit").with("edited_action", action)
}

#[test]
fn the_question_shows_the_call() {
    let outcome = Test::<Asking>::new().call("burn", [("sum", 250)]).wrap_tool_call();
    let expected = Map::new()
        .with("allowed_decisions", vec!["approve", "edit", "respond"])
        .with("args", Map::from([("sum", 250)]))
        .with("description", "Costs money.")
        .with("name", "burn")
        .with("tool_call_id", "call-1")
        .with("type", "tool_approval");
    assert_eq!(outcome.interrupts[0].value, Raw::from(expected));
    let outcome = Test::<Asking>::new().call("pay", Map::new()).wrap_tool_call();
    assert!(outcome.interrupts[0].value.value().get("allowed_decisions").is_none(), "all are allowed");
}

#[test]
fn the_decision_is_done() {
    let outcome = decided("pay", Map::from([("type", "approve")]));
    assert!(outcome.result.is_none() && outcome.nexts.is_empty(), "the host passes the call on");

    let outcome = decided("pay", edit("pay"));
    assert!(outcome.result.is_none(), "the answer passes on");
    assert_eq!(outcome.call_changes()[0].args, Some(Map::from([("sum", 100)])));

    let outcome = decided("pay", Map::from([("type", "reject")]));
    let text = "User rejected the tool call for `pay` with id call-1. The tool was not executed. \
                Do not retry this tool call unless the user explicitly requests it.";
    assert_eq!(outcome.text(), text);
    assert_eq!(outcome.tool_message.unwrap().keys().get("status").unwrap().as_str(), Some("error"));

    let outcome = decided("pay", Map::from([("type", "respond"), ("message", "")]));
    assert_eq!(outcome.tool_message, Some(Patch::new().content("")));
}

#[test]
fn a_reply_that_is_too_big_passes_on() {
    let outcome = Test::<Asking>::new()
        .call("pay", [("sum", 250)])
        .answer(&question("pay", 250), edit("pay"))
        .reply(Reply::refused(Errno::ETOOBIG))
        .wrap_tool_call();
    assert!(outcome.error.is_none());
}

#[test]
fn an_answer_may_be_no_decision() {
    let needs_action = r#"an edit needs {"edited_action":{"name":"burn","args":{…}}}"#;
    let respond = Map::new().with("type", "respond").with("message", 7);
    for (answer, why) in [
        (Raw::from(true), r#"it is a map such as {"type":"approve"}"#),
        (Map::new().into(), r#"the question does not allow the type """#),
        (Map::from([("type", "reject")]).into(), r#"the question does not allow the type "reject""#),
        (Map::from([("type", "retry")]).into(), r#"the question does not allow the type "retry""#),
        (respond.into(), "a respond needs a message, which is the result of the call"),
        (Map::from([("type", "edit")]).into(), needs_action),
        (edit("pay").into(), needs_action),
    ] {
        let error = decided("burn", answer).error.unwrap();
        assert_eq!(error.kind, "invalid_decision");
        assert_eq!(error.message, format!("the answer is not a decision about the tool call: {why}"));
    }
}

#[test]
fn an_answer_is_for_the_call_that_was_shown() {
    let answer = Map::from([("type", "approve")]);
    let outcome =
        Test::<Asking>::new().call("pay", [("sum", 1000)]).answer(&question("pay", 1), answer).wrap_tool_call();
    assert_eq!(outcome.interrupts.len(), 1);
}
