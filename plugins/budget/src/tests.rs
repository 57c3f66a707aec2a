use super::*;
use agenthost::document::{ModelRequest, ModelResponse, Usage};
use agenthost::testing::{configure, Outcome, Reply, Test};
use agenthost::{Map, Raw};
use money::Micros;

/// A configuration with the defaults that the host fills in.
fn config(changes: impl Into<Map>) -> Map {
    let mut config = Map::new()
        .with("currency", "USD")
        .with("warn_at", 0.8)
        .with("exit_behavior", "end")
        .with("unknown_model", "ignore");
    config.merge(&changes.into());
    config
}

fn map<V: Into<Raw>, const N: usize>(pairs: [(&str, V); N]) -> Map {
    Map::from(pairs)
}

/// 1000 tokens for a run, 2 dollars for a thread.
fn budgets() -> Map {
    map([
        ("run", map([("tokens", 1000)])),
        ("thread", map([("money", 2)])),
        (
            "prices",
            map([
                ("large*", map([("input", 3.0), ("output", 15.0)])),
                ("small", map([("input", 0.15), ("output", 0.6)])),
            ]),
        ),
    ])
}

/// A message that cost so many tokens of the request and of the answer.
fn answer(input: u64, output: u64) -> Message {
    let usage = Usage { input_tokens: input, output_tokens: output, total_tokens: input + output, ..Usage::default() };
    Message { usage: Some(usage), ..Message::ai("42") }
}

fn asked(changes: impl Into<Map>, model: &str) -> Test<Budget> {
    let request = ModelRequest { model: model.into(), ..ModelRequest::default() };
    Test::<Budget>::with(config(changes)).request(request)
}

/// What is added to the fields.
fn counted(outcome: &Outcome) -> [Option<u64>; 4] {
    FIELDS.map(|field| outcome.state(field.name())?.value().as_u64())
}

#[test]
fn counts_tokens_and_money() {
    let outcome = asked(budgets(), "large").reply(Reply::model(answer(1000, 101))).wrap_model_call();
    assert_eq!(counted(&outcome), [Some(1101), Some(4515), Some(1101), Some(4515)]);
    assert!(outcome.response.is_none() && outcome.log.is_empty());
    assert_eq!(outcome.nexts, [Vec::<u8>::new()], "the request passes as it is");
}

#[test]
fn rounds_each_call_up() {
    let outcome = asked(budgets(), "small").reply(Reply::model(answer(1, 0))).wrap_model_call();
    assert_eq!(counted(&outcome)[3], Some(1));
}

#[test]
fn counts_all_messages_and_the_larger_total() {
    let total = Usage { input_tokens: 1, output_tokens: 2, total_tokens: 10, ..Usage::default() };
    let messages = vec![
        answer(5, 5).with_id("a"),
        Message { usage: Some(total), ..Message::ai("").with_id("b") },
        Message::ai("free").with_id("c"),
    ];
    let reply = Reply::document(&ModelResponse { messages, ..ModelResponse::default() });
    assert_eq!(counted(&asked(budgets(), "large").reply(reply).wrap_model_call())[0], Some(20));
}

#[test]
fn the_model_that_answered_has_the_price() {
    let reply = |model: &str| {
        let messages = vec![answer(1_000_000, 0).with_id("a")];
        Reply::document(&ModelResponse { messages, model: model.into(), ..ModelResponse::default() })
    };
    for (requested, answered, money) in [
        ("large", "small", Some(150_000)),
        ("large", "large-2026-01-01", Some(3_000_000)),
        ("large", "", Some(3_000_000)),
        ("small", "other", Some(150_000)),
        ("other", "small", Some(150_000)),
        ("other", "other", None),
    ] {
        let outcome = asked(budgets(), requested).reply(reply(answered)).wrap_model_call();
        assert_eq!(counted(&outcome), [Some(1_000_000), money, Some(1_000_000), money], "{requested} {answered}");
    }
}

#[test]
fn says_what_is_not_counted() {
    let line = |outcome: Outcome| outcome.log.into_iter().map(|(_, line)| line).collect::<String>();
    assert_eq!(
        line(asked(budgets(), "other").reply(Reply::model(answer(1, 1))).wrap_model_call()),
        "the model has no price: only its tokens are counted model=other"
    );
    let outcome = asked(budgets(), "large").reply(Reply::model(Message::ai("42"))).wrap_model_call();
    assert!(outcome.result.is_none());
    assert_eq!(line(outcome), "the answer has no usage: nothing is counted model=large");
    let cached = Message { meta: map([("cached", true)]), ..Message::ai("42") };
    let outcome = asked(budgets(), "large").reply(Reply::model(cached)).wrap_model_call();
    assert!(outcome.result.is_none() && outcome.log.is_empty(), "it cost nothing");
    let outcome = asked(budgets(), "large").reply(Reply::refused(Errno::ETOOBIG)).wrap_model_call();
    assert!(outcome.result.is_none(), "the answer passes on");
    assert_eq!(line(outcome), "the answer is too large to be looked at: it is not counted model=large");
}

#[test]
fn an_error_passes_on() {
    let outcome = asked(budgets(), "large").reply(Reply::error(Error::new("overloaded", "later"))).wrap_model_call();
    assert!(outcome.result.is_none());
    assert!(asked(budgets(), "large").reply(Reply::interrupted()).wrap_model_call().closed);
}

#[test]
fn fails_calls_of_unknown_models() {
    let strict = |prices: bool| {
        let mut changes = budgets().with("unknown_model", "error");
        if !prices {
            changes.remove("prices");
            changes.remove("thread");
        }
        changes
    };
    let outcome = asked(strict(true), "other").wrap_model_call();
    assert_eq!(outcome.error.unwrap().message, "the model \"other\" has no price: add one to the budget's prices");
    assert!(outcome.nexts.is_empty(), "it is not called");
    assert!(asked(strict(true), "small").reply(Reply::model(answer(1, 1))).wrap_model_call().error.is_none());
    assert!(asked(strict(false), "other").reply(Reply::model(answer(1, 1))).wrap_model_call().error.is_none());
}

#[test]
fn warns_when_most_is_used() {
    let warned = |tokens: u64, money: u64, system: &str| {
        let request = ModelRequest { model: "large".into(), system: system.into(), ..ModelRequest::default() };
        let outcome = Test::<Budget>::with(config(budgets()))
            .request(request)
            .state("budget_run_tokens", tokens)
            .state("budget_thread_money", money)
            .reply(Reply::model(answer(1, 1)))
            .wrap_model_call();
        outcome.requests()[0].append_system.as_ref().map(|content| content.text())
    };
    assert_eq!(warned(799, 1_599_999, ""), None);
    assert_eq!(
        warned(800, 0, "").unwrap(),
        "[budget: at least 80% of the tokens for this task is used. When all is used you are stopped without another \
         word. Make only the tool calls that you cannot do without, and answer soon.]"
    );
    assert_eq!(warned(800, 0, ""), warned(999, 0, ""), "the prompt can be cached");
    let both = warned(900, 1_600_000, "Be brief.").unwrap();
    assert!(both.starts_with(
        "\n\n[budget: at least 80% of the tokens for this task and of the money for this conversation is used."
    ));
}

#[test]
fn ends_the_run() {
    let ended = |tokens: u64, money: u64| {
        Test::<Budget>::with(config(budgets()))
            .state("budget_run_tokens", tokens)
            .state("budget_thread_money", money)
            .before_model()
    };
    assert!(ended(999, 1_999_999).result.is_none());
    let outcome = ended(1000, 2_045_100);
    assert_eq!(outcome.jump_to, "end");
    assert_eq!(outcome.messages[0].role, agenthost::Role::Ai);
    assert_eq!(
        outcome.messages[0].content.text(),
        "Budget exceeded: run tokens (1000/1000), thread money (2.0451/2.00 USD)"
    );
    assert_eq!(ended(1200, 0).messages[0].content.text(), "Budget exceeded: run tokens (1200/1000)");
}

#[test]
fn fails_the_run() {
    let outcome = Test::<Budget>::with(config(budgets().with("exit_behavior", "error")))
        .state("budget_run_tokens", 1001)
        .before_model();
    let error = outcome.error.unwrap();
    assert_eq!(
        (error.kind.as_str(), error.message.as_str()),
        ("budget_exceeded", "Budget exceeded: run tokens (1001/1000)")
    );
    assert_eq!(format!("{:?}", error.data), r#"[{"limit": 1000, "scope": "run", "unit": "tokens", "used": 1001}]"#);
}

#[test]
fn a_budget_of_nothing_allows_no_call() {
    let outcome = Test::<Budget>::with(config(map([("thread", map([("tokens", 0)]))]))).before_model();
    assert_eq!(outcome.messages[0].content.text(), "Budget exceeded: thread tokens (0/0)");
}

#[test]
fn counts_no_money_without_prices() {
    let tokens = config(map([("run", map([("tokens", 10)]))]));
    let description = configure::<Budget>(tokens.clone()).unwrap();
    let names: Vec<_> = description.fields.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["budget_run_tokens", "budget_thread_tokens"]);
    assert_eq!(description.hooks.before_model.unwrap().reads, names);
    let wrap = description.hooks.wrap_model_call.unwrap();
    assert!(wrap.reads == names && wrap.passes_tokens);
    let outcome = Test::<Budget>::with(tokens).reply(Reply::model(answer(1, 1))).wrap_model_call();
    assert_eq!(counted(&outcome), [Some(2), None, Some(2), None]);
    assert!(outcome.log.is_empty());
}

#[test]
fn refuses_a_configuration() {
    for (changes, says) in [
        (Map::new(), "there is no budget: give tokens or money of run or thread"),
        (map([("run", Map::new())]), "there is no budget: give tokens or money of run or thread"),
        (map([("thread", map([("money", 1)]))]), "thread.money needs prices"),
    ] {
        assert_eq!(configure::<Budget>(config(changes)).unwrap_err().message, says);
    }
}

#[test]
fn names_and_patterns() {
    let price = |input: f64| config::ModelPrice { input, output: 0.0 };
    let prices = [("*", 1.0), ("gpt-*", 2.0), ("gpt-5*", 3.0), ("gpt-5-mini", 4.0), ("*-mini-*", 5.0), ("a*a", 6.0)];
    let prices = Prices::new(&prices.into_iter().map(|(name, p)| (name.to_owned(), price(p))).collect());
    for (model, million) in [
        ("", 1),
        ("claude", 1),
        ("gpt-4", 2),
        ("gpt-5", 3),
        ("gpt-5-mini", 4),
        ("gpt-5-mini-2026", 5),
        ("gpt-5-minimal", 3),
        ("aa", 6),
        ("a", 1),
        ("a*a", 6),
    ] {
        assert_eq!(prices.of(model).unwrap().cost(1_000_000, 0), Micros(million * 1_000_000), "{model}");
    }
}

#[test]
fn shows_money() {
    for (micros, text) in
        [(0, "0.00"), (1, "0.000001"), (500_000, "0.50"), (1_020_300, "1.0203"), (12_000_000, "12.00")]
    {
        assert_eq!(Micros(micros).to_string(), text);
    }
    assert_eq!(Micros::of(0.1), Micros(100_000));
}
