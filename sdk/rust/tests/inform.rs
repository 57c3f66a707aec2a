//! What a hook can learn about its run, several operations at once, and waiting.

use agenthost::document::{FetchResponse, ModelRequest, ModelResponse, RunInfo, Usage};
use agenthost::testing::{Reply, Test};
use agenthost::{
    Context, Description, Errno, Error, FetchRequest, GenerateRequest, HookSpec, Message, ModelAnswer, ModelContext,
    ModelInfo, Plugin, Result, ToolSpec, Update, ViewSpec,
};
use std::time::Duration;

#[derive(Default)]
struct Curious;

#[agenthost::plugin]
impl Plugin for Curious {
    fn describe() -> Description {
        Description::new("curious", "1.0.0")
            .context("tenant")
            .capability("http.fetch", "It looks.")
            .capability("model.generate", "It asks.")
            .capability("clock.sleep", "It waits.")
            .wrap_model_call(HookSpec::new().view(ViewSpec::All))
    }

    /// Emits what it learns.
    fn before_model(&self, ctx: &Context) -> Result<Update> {
        let info = ctx.run_info()?;
        ctx.emit("run", vec![info.agent, info.parent, info.usage.total_tokens.to_string()])?;
        ctx.emit("tenant", ctx.context("tenant").and_then(|t| t.as_str()).unwrap_or("nobody"))?;
        ctx.emit("model", ctx.model_info("")?.name)?;
        let Err(error) = ctx.model_info("missing") else { panic!("there is no such model") };
        assert_eq!(error.errno(), Some(Errno::ENOENT));
        ctx.sleep(Duration::from_millis(1500))?;
        Ok(Update::new())
    }

    /// Answers with the models, tools and tokens of the request.
    fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
        let tools: Vec<String> =
            ctx.tool_specs()?.into_iter().map(|t| format!("{}: {}", t.name, t.description)).collect();
        let (of_view, of_new) = (ctx.count_tokens(ctx.messages())?, ctx.count_tokens([Message::human("five5")])?);
        let window = ctx.model_info("")?.max_input_tokens;
        Ok(Message::ai(format!("{} {window} {of_view} {of_new}", tools.join(", "))).into())
    }

    /// Emits how requests ended that it made at once.
    fn after_model(&self, ctx: &Context) -> Result<Update> {
        let urls = (0..33).map(|n| FetchRequest::get(format!("https://example.com/{n}")));
        let ends = ctx.fetch_all(urls)?.into_iter().map(|end| match end {
            Ok(response) => response.status.to_string(),
            Err(e) => e.kind(),
        });
        ctx.emit("fetched", ends.collect::<Vec<_>>())?;
        let ask = |text: &str| GenerateRequest { messages: vec![Message::human(text)], ..GenerateRequest::default() };
        let answers = ctx.generate_all([ask("a"), ask("b")])?;
        let said = |r: &Result<ModelResponse>| r.as_ref().map(|r| r.messages[0].content.text()).unwrap_or_default();
        ctx.emit("said", answers.iter().map(said).collect::<Vec<_>>())?;
        Ok(Update::new())
    }
}

#[test]
fn a_hook_learns_about_its_run() {
    let usage = Usage { total_tokens: 852, ..Usage::default() };
    let outcome = Test::<Curious>::new()
        .context("tenant", "acme")
        .run_info(RunInfo { agent: "support".into(), parent: "r0".into(), usage })
        .model_info(ModelInfo { name: "large".into(), ..ModelInfo::default() })
        .before_model();
    let said: Vec<String> = outcome.events.iter().map(|e| format!("{:?}", e.data)).collect();
    assert_eq!(said, [r#"["support", "r0", "852"]"#, r#""acme""#, r#""large""#]);
    assert_eq!(outcome.slept, Duration::from_millis(1500));

    let outcome = Test::<Curious>::new().before_model();
    let said: Vec<String> = outcome.events.iter().map(|e| format!("{:?}", e.data)).collect();
    assert_eq!(said, [r#"["agent", "", "0"]"#, r#""nobody""#, r#""model""#]);
}

#[test]
fn a_model_call_shows_tools_and_counts_tokens() {
    let outcome = Test::<Curious>::new()
        .messages([Message::human("When is the tide high?"), Message::ai("At noon.")])
        .model_info(ModelInfo { name: "small".into(), max_input_tokens: 8_000, ..ModelInfo::default() })
        .model_info(ModelInfo { name: "large".into(), max_input_tokens: 64_000, ..ModelInfo::default() })
        .tool(ToolSpec { name: "tides".into(), description: "Looks up tides.".into(), ..ToolSpec::default() })
        .request(ModelRequest { model: "large".into(), tools: vec!["tides".into()], ..ModelRequest::default() })
        .wrap_model_call();
    assert_eq!(outcome.text(), "tides: Looks up tides. 64000 8 2");
}

#[test]
fn several_operations_at_once_end_by_themselves() {
    let answer =
        |text: &str| Reply::document(&ModelResponse { messages: vec![Message::ai(text)], ..ModelResponse::default() });
    let mut test = Test::<Curious>::new()
        .operation("http.fetch", Reply::refused(Errno::EDENIED))
        .operation("http.fetch", Reply::error(Error::new("http_timeout", "slow")))
        .operation("model.generate", answer("yes"))
        .operation("model.generate", answer("no"));
    for _ in 2..33 {
        test =
            test.operation("http.fetch", Reply::document(&FetchResponse { status: 204, ..FetchResponse::default() }));
    }
    let outcome = test.after_model();
    let batches = outcome.calls.iter().filter(|(op, _)| op == "batch").count();
    assert_eq!(batches, 3, "33 requests are two batches");
    let ends: Vec<String> = outcome.events[0].data.value().to().unwrap();
    assert_eq!(
        (ends.len(), &ends[..3], &*ends[32]),
        (33, &["EDENIED".to_owned(), "http_timeout".into(), "204".into()][..], "204")
    );
    assert_eq!(format!("{:?}", outcome.events[1].data), r#"["yes", "no"]"#);
}

#[test]
fn an_older_host_knows_none_of_it() {
    let outcome = Test::<Curious>::new().operation("run.info", Reply::refused(Errno::ENOENT)).before_model();
    assert_eq!(outcome.error.unwrap().kind, "ENOENT");
    let outcome = Test::<Curious>::new().operation("batch", Reply::refused(Errno::ENOENT)).after_model();
    assert_eq!(outcome.error.unwrap().kind, "ENOENT");
}

#[test]
fn a_run_that_ends_closes_a_batch() {
    let outcome = Test::<Curious>::new().operation("http.fetch", Reply::cancelled()).after_model();
    assert!(outcome.closed && outcome.result.is_none());
}
