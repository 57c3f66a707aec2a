//! Three plugins as people write them: a budget of each tenant, a policy for tools, and a cache of similar questions.

use agenthost::testing::{Reply, Test};
use agenthost::*;
use serde::Deserialize;

mod budget {
    use super::*;

    #[derive(Deserialize, Schema)]
    pub struct Config {
        tokens: u64,
    }

    /// Limits the tokens of each tenant and day, over all threads. The caller of a run names the tenant in its context.
    pub struct Budget(Config);

    #[agenthost::plugin]
    impl Plugin for Budget {
        type Config = Config;

        fn describe() -> Description {
            let reason = "It keeps what each tenant has used.";
            let budget = Description::new("tenant-budget", "1.0.0").guards().context("tenant");
            let budget = budget.required_capability(op::KV_GET, reason).required_capability(op::KV_PUT, reason);
            budget.wrap_model_call(HookSpec::new().passes_tokens())
        }

        fn new(config: Config) -> Result<Self> {
            Ok(Budget(config))
        }

        fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
            let tenant = ctx.context("tenant").and_then(|t| t.as_str());
            let tenant = tenant.ok_or_else(|| Error::new("tenant", "the run has no tenant in its context"))?;
            let day = ctx.now() / 86_400_000_000_000;
            let spent = ctx.store(Scope::Plugin).entry::<u64>(format!("{tenant}/{day}"));
            if spent.get()?.unwrap_or_default() >= self.0.tokens {
                return Ok(Message::ai("The budget of tokens for today is used up. Please try again tomorrow.").into());
            }
            let used = ctx.next()?.usage().total_tokens;
            spent.update(|sum| Ok(sum + used))?;
            Ok(ModelAnswer::unchanged())
        }
    }
}

mod policy {
    use super::*;

    /// Lets nobody delete files outside /tmp, and asks a person before it deletes one there or pays more than 100.
    #[derive(Default)]
    pub struct Policy;

    #[agenthost::plugin]
    impl Plugin for Policy {
        fn describe() -> Description {
            let spec = HookSpec::new().only_tool("delete").only_tool("pay");
            Description::new("tool-policy", "1.0.0").guards().wrap_tool_call(spec)
        }

        fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
            let path = ctx.arg("path").and_then(|v| v.as_str()).unwrap_or_default();
            let sum = ctx.arg("sum").and_then(|v| v.as_f64()).unwrap_or_default();
            match ctx.tool() {
                "delete" if !path.starts_with("/tmp/") => Ok(ToolAnswer::error("Only files in /tmp may be deleted.")),
                "delete" => Approval::new("Deletes a file.").wrap(ctx),
                "pay" if sum > 100.0 => {
                    Approval::new("Pays more than 100.").allow(&[DecisionType::Approve, DecisionType::Reject]).wrap(ctx)
                }
                _ => Ok(ToolAnswer::unchanged()),
            }
        }
    }
}

mod similar {
    use super::*;

    /// Answers a question as it answered an earlier one with the same words, in any order and case.
    #[derive(Default)]
    pub struct Similar;

    #[agenthost::plugin]
    impl Plugin for Similar {
        fn describe() -> Description {
            let spec = HookSpec::new().view(ViewSpec::Last(1)).passes_tokens();
            let similar = Description::new("similar", "1.0.0").wrap_model_call(spec);
            similar.capability(op::KV_GET, "It keeps answers.").capability(op::KV_PUT, "It keeps answers.")
        }

        fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
            let Some(question) = ctx.messages().next().filter(|m| m.role() == Role::Human) else {
                return Ok(ModelAnswer::unchanged());
            };
            let text = question.text().to_lowercase();
            let words: std::collections::BTreeSet<&str> = text.split_whitespace().collect();
            let key = agenthost::sha256::hex(words.into_iter().collect::<Vec<_>>().join(" "));
            let kept = ctx.store(Scope::Plugin).entry::<String>(key);
            if let Some(text) = kept.get()? {
                return Ok(Message::ai(text).into());
            }
            let reply = ctx.next()?;
            if reply.answer().is_some_and(|m| m.tool_calls().next().is_none() && !m.text().is_empty()) {
                kept.put(&reply.text())?;
            }
            Ok(ModelAnswer::unchanged())
        }
    }
}

#[test]
fn a_tenant_uses_its_budget() {
    use agenthost::document::Usage;
    let answer =
        Message { usage: Some(Usage { total_tokens: 700, ..Usage::default() }), ..Message::ai("High at noon.") };
    let test = |spent: u64| {
        let test = Test::<budget::Budget>::with([("tokens", 1000)]).context("tenant", "acme");
        test.stored(Scope::Plugin, "acme/0", spent).reply(Reply::model(answer.clone()))
    };
    let outcome = test(700).wrap_model_call();
    assert!(outcome.result.is_none(), "the reply passes on");
    assert_eq!(outcome.stored(Scope::Plugin, "acme/0"), Some(1400.into()));
    let outcome = test(1400).wrap_model_call();
    assert_eq!(outcome.text(), "The budget of tokens for today is used up. Please try again tomorrow.");
    let outcome = Test::<budget::Budget>::with([("tokens", 1000)]).wrap_model_call();
    assert_eq!(outcome.error.unwrap().message, "the run has no tenant in its context");
}

#[test]
fn a_policy_refuses_and_asks() {
    let test = Test::<policy::Policy>::new;
    let outcome = test().call("delete", [("path", "/etc/passwd")]).wrap_tool_call();
    assert_eq!(outcome.text(), "Only files in /tmp may be deleted.");
    assert_eq!(test().call("delete", [("path", "/tmp/x")]).wrap_tool_call().interrupts.len(), 1);
    assert_eq!(test().call("pay", [("sum", 250)]).wrap_tool_call().interrupts.len(), 1);
    assert!(test().call("pay", [("sum", 50)]).wrap_tool_call().result.is_none());
}

#[test]
fn a_similar_question_has_an_answer() {
    let key = agenthost::sha256::hex("high is tide? when");
    let test = |question: &str| Test::<similar::Similar>::new().messages([Message::human(question)]);
    let outcome = test("When is high tide?").reply(Reply::model(Message::ai("At noon."))).wrap_model_call();
    assert_eq!(outcome.stored(Scope::Plugin, &key), Some("At noon.".into()));
    let outcome = test("when is HIGH  tide?").stored(Scope::Plugin, &key, "At noon.").wrap_model_call();
    assert_eq!((outcome.text().as_str(), outcome.nexts.len()), ("At noon.", 0));
}
