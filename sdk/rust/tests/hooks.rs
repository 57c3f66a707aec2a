//! The effects of the results of hooks.

use agenthost::document::{FetchResponse, Header, ModelResponse, ToolCall};
use agenthost::testing::{configure, Reply, Test};
use agenthost::{
    CallChange, Context, Description, Errno, Error, FetchRequest, Field, HookSpec, Map, Message, ModelAnswer,
    ModelContext, Patch, Plugin, Raw, RequestChange, Result, Scope, ToolAnswer, ToolContext, Update, ViewSpec,
};

/// A plugin whose hooks are functions of the test.
macro_rules! plugin {
    ($name:ident, $description:expr, $($method:tt)*) => {
        #[derive(Default)]
        struct $name;

        #[agenthost::plugin]
        impl Plugin for $name {
            fn describe() -> Description {
                $description
            }
            $($method)*
        }
    };
}

fn named() -> Description {
    Description::new("test", "1.0.0")
}

fn unavailable() -> Reply {
    Reply::error(Error::new("unavailable", "try later").retryable().with_data(503))
}

fn answered(text: &str) -> Reply {
    Reply::tool(Message::tool(&ToolCall::new("call-1", "search", Map::new()), text))
}

#[test]
fn an_error_of_next_passes_on_unchanged() {
    plugin!(
        Pass,
        named(),
        fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
            ctx.next()?;
            Ok(ToolAnswer::unchanged())
        }
    );
    let outcome = Test::<Pass>::new().call("search", Map::new()).reply(unavailable()).wrap_tool_call();
    assert!(outcome.result.is_none());
}

#[test]
fn an_error_of_next_that_is_changed_is_the_hooks_own() {
    plugin!(
        Change,
        named(),
        fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
            ctx.next().map_err(|e| e.with_data("more"))?;
            Ok(ModelAnswer::unchanged())
        }
    );
    let error = Test::<Change>::new().reply(unavailable()).wrap_model_call().error.unwrap();
    assert_eq!((error.kind.as_str(), error.message.as_str(), error.retryable), ("unavailable", "try later", true));
    assert_eq!(error.data, Raw::from("more"));
}

#[test]
fn an_error_of_a_next_before_the_last_is_written() {
    plugin!(
        Twice,
        named(),
        fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
            let first = ctx.next();
            ctx.next_with(&CallChange::new().set_arg("q", "again"))?;
            first?;
            Ok(ToolAnswer::unchanged())
        }
    );
    let test = Test::<Twice>::new().call("search", Map::new()).reply(unavailable()).reply(answered("ok"));
    let outcome = test.wrap_tool_call();
    assert_eq!(outcome.error.as_ref().unwrap().kind, "unavailable");
    assert_eq!(outcome.call_changes()[1].set_args, Map::from([("q", "again")]));
}

#[test]
fn a_closed_frame_does_nothing_more() {
    plugin!(
        Stubborn,
        named(),
        fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
            assert!(ctx.next().unwrap_err().is_closed());
            assert!(ctx.next().unwrap_err().is_closed());
            assert!(ctx.emit("late", 1).unwrap_err().is_closed());
            Ok("never seen".into())
        }
    );
    for reply in [Reply::interrupted(), Reply::cancelled()] {
        let outcome = Test::<Stubborn>::new().call("search", Map::new()).reply(reply).wrap_tool_call();
        assert!(outcome.closed && outcome.result.is_none());
        assert_eq!((outcome.nexts.len(), outcome.calls.len()), (1, 0));
    }
}

// The host has only the reply of its last call.
#[test]
fn a_reply_can_be_looked_at_after_other_calls() {
    plugin!(
        Late,
        named(),
        fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
            let (one, two, three) = (ctx.next()?, ctx.next()?, ctx.next()?);
            let copy = one.clone();
            drop(ctx.next()?);
            drop(two);
            let four = ctx.next()?;
            ctx.emit("looked", "")?;
            Ok(format!("{} {} {} {}", four.text(), three.text(), one.text(), copy.text()).into())
        }
    );
    let test =
        (1..=5).fold(Test::<Late>::new().call("search", Map::new()), |test, i| test.reply(answered(&i.to_string())));
    assert_eq!(test.wrap_tool_call().text(), "5 3 1 1");
}

#[test]
fn refusals_are_typed_and_an_unknown_one_is_a_refusal() {
    plugin!(
        Pass,
        named(),
        fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
            let e = ctx.next_with(&RequestChange::new().model("huge")).unwrap_err();
            assert!(e.errno().is_some());
            Err(e)
        }
    );
    for (reply, kind) in [(Reply::refused(Errno::ENOENT), "ENOENT"), (Reply::status(-9), "status -9")] {
        let error = Test::<Pass>::new().reply(reply).wrap_model_call().error.unwrap();
        assert_eq!(error.kind, kind);
        assert_eq!(error.message, format!("the host refused the call: {kind}"));
    }
}

#[test]
fn errors_of_other_types_convert() {
    plugin!(
        Parse,
        named(),
        fn before_model(&self, _: &Context) -> Result<Update> {
            let _: u8 = "x".parse()?;
            Ok(Update::new())
        }
    );
    let error = Test::<Parse>::new().before_model().error.unwrap();
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("error", "invalid digit found in string"));
}

#[test]
fn several_interrupts_ask_what_is_open() {
    plugin!(
        Ask,
        named(),
        fn before_agent(&self, ctx: &Context) -> Result<Update> {
            let [name, ok] = ctx.interrupts([("name", "who?"), ("ok", "sure?")])?;
            let text = format!("{} {}", name.as_str().unwrap_or_default(), ok.as_bool().unwrap_or_default());
            Ok(Update::new().message(Message::human(text)))
        }
    );
    let keys = |test: Test<Ask>| test.before_agent().interrupts.into_iter().map(|i| i.key).collect::<Vec<_>>();
    assert_eq!(keys(Test::new()), ["name", "ok"]);
    assert_eq!(keys(Test::new().answer("name", "Ada")), ["ok"]);
    let outcome = Test::<Ask>::new().answer("name", "Ada").answer("ok", true).before_agent();
    assert_eq!(outcome.messages[0].content.text(), "Ada true");
}

static RATE: Field<f64> = Field::new("rate");
static NOTES: Field<Vec<String>> = Field::new("notes").append();

#[test]
fn a_value_without_a_form_fails_the_hook() {
    plugin!(
        Rate,
        named().field(&RATE),
        fn after_model(&self, _: &Context) -> Result<Update> {
            let mut update = Update::new();
            RATE.set(&mut update, f64::NAN);
            Ok(update)
        }
    );
    assert_eq!(Test::<Rate>::new().after_model().error.unwrap().message, "NaN and infinities are not allowed");
}

#[test]
fn a_large_field_is_fetched() {
    plugin!(
        Notes,
        named().field(&NOTES).before_model(HookSpec::new().reads(&NOTES)),
        fn before_model(&self, ctx: &Context) -> Result<Update> {
            let notes = NOTES.get_or_default(ctx)?;
            let mut update = Update::new();
            NOTES.set(&mut update, vec![notes.len().to_string()]);
            Ok(update)
        }
    );
    let written = |test: Test<Notes>| test.before_model().state("notes");
    assert_eq!(written(Test::new()), Some(vec!["0"].into()));
    assert_eq!(written(Test::new().state("notes", vec!["a"])), Some(vec!["1"].into()));
    assert_eq!(written(Test::new().large_state("notes", vec!["a", "b"])), Some(vec!["2"].into()));
}

#[test]
fn a_field_of_the_wrong_type_is_an_error_that_names_it() {
    plugin!(
        Notes,
        named().field(&NOTES).before_model(HookSpec::new().reads(&NOTES)),
        fn before_model(&self, ctx: &Context) -> Result<Update> {
            NOTES.get(ctx)?;
            Ok(Update::new())
        }
    );
    let error = Test::<Notes>::new().state("notes", vec![1]).before_model().error.unwrap();
    assert_eq!(error.message, "state.notes[0]: the integer 1 is not a string");
}

#[test]
fn the_store_keeps_versions() {
    plugin!(
        Keep,
        named()
            .capability("kv.get", "why")
            .capability("kv.put", "why")
            .capability("kv.delete", "why")
            .capability("kv.list", "why"),
        fn before_agent(&self, ctx: &Context) -> Result<Update> {
            let store = ctx.store(Scope::Thread);
            assert_eq!(store.get("absent")?, None);
            let (value, version) = store.get("seen")?.unwrap();
            assert_eq!(value, Raw::from(1));
            let newer = store.put_if("seen", 2, version)?;
            assert_eq!(store.put_if("seen", 3, version).unwrap_err().errno(), Some(Errno::ECONFLICT));
            store.put_if("new", 1, 0)?;
            let (items, more) = store.list("", "", 1)?;
            assert_eq!((items[0].key.as_str(), more), ("new", true));
            assert!(store.delete_if("seen", version).is_err());
            store.delete_if("seen", newer)?;
            store.put("last", "x")?;
            store.delete("nothing")?;
            Ok(Update::new())
        }
    );
    let outcome = Test::<Keep>::new().stored(Scope::Thread, "seen", 1).before_agent();
    assert!(outcome.error.is_none());
    assert_eq!(outcome.stored(Scope::Thread, "seen"), None);
    assert_eq!(outcome.stored(Scope::Thread, "last"), Some("x".into()));
}

#[test]
fn operations_pass_their_documents() {
    let all = ["http.fetch", "model.generate", "tool.call", "clock.now", "random.bytes"];
    fn describe() -> Description {
        ["http.fetch", "model.generate", "tool.call", "clock.now", "random.bytes"]
            .iter()
            .fold(named(), |d, op| d.capability(op, "why"))
    }
    plugin!(
        Reach,
        describe(),
        fn after_agent(&self, ctx: &Context) -> Result<Update> {
            let request = FetchRequest::post("https://example.com", "text/plain", "hi").timeout_ms(5);
            let page = ctx.fetch(&request)?;
            let answer = ctx
                .generate(&agenthost::GenerateRequest { messages: vec![Message::human("hi")], ..Default::default() })?;
            let found = ctx.call_tool("search", [("q", "x")])?;
            let text = format!(
                "{} {} {} {} {:?}",
                page.header("a"),
                answer.messages[0].content.text(),
                found.content.text(),
                ctx.clock_now()?,
                ctx.random_bytes(2)?
            );
            let left = ctx.budget()?.host_calls;
            ctx.emit("done", Map::new().with("text", text).with("left", left))?;
            Ok(Update::new())
        }
    );
    let header = Header { name: "a".into(), value: "b".into() };
    let outcome = Test::<Reach>::new()
        .operation(
            "http.fetch",
            Reply::document(&FetchResponse { headers: vec![header], status: 200, ..Default::default() }),
        )
        .operation(
            "model.generate",
            Reply::document(&ModelResponse { messages: vec![Message::ai("no")], ..Default::default() }),
        )
        .operation("tool.call", answered("3 hits"))
        .operation("clock.now", Reply::document(&agenthost::document::Clock { unix_ns: 7 }))
        .operation("random.bytes", Reply::document(&agenthost::document::RandomBytes { bytes: vec![1, 2] }))
        .after_agent();
    assert_eq!(outcome.events[0].data.value().get("text").unwrap().as_str(), Some("b no 3 hits 7 [1, 2]"));
    assert_eq!(outcome.calls.iter().map(|(op, _)| op.as_str()).take(5).collect::<Vec<_>>(), all);
}

#[test]
fn the_description_lists_what_is_implemented() {
    plugin! {Two, named().after_agent(HookSpec::new().view(ViewSpec::All)),
        fn before_model(&self, _: &Context) -> Result<Update> {
            Ok(Update::new())
        }

        fn after_agent(&self, _: &Context) -> Result<Update> {
            Ok(Update::new())
        }
    }
    let hooks = configure::<Two>(Map::new()).unwrap().hooks;
    assert_eq!(hooks.before_model, Some(HookSpec::new()));
    assert_eq!(hooks.after_agent, Some(HookSpec::new().view(ViewSpec::All)));
    assert!(hooks.wrap_tool_call.is_none() && hooks.before_agent.is_none());
}

#[test]
#[should_panic(expected = "the Description lists before_agent, which the plugin does not implement")]
fn a_hook_that_is_listed_and_not_implemented_is_refused() {
    plugin!(Forgot, named().before_agent(HookSpec::new()),);
    let _ = configure::<Forgot>(Map::new());
}

#[test]
#[should_panic(expected = "before_agent writes the field rate, which the Description does not declare")]
fn an_undeclared_field_is_refused() {
    plugin!(
        Rate,
        named(),
        fn before_agent(&self, _: &Context) -> Result<Update> {
            Ok(Update::new().set("rate", 1))
        }
    );
    Test::<Rate>::new().before_agent();
}

#[test]
#[should_panic(expected = "before_model jumps to end, which its spec does not list in can_jump_to")]
fn an_undeclared_jump_is_refused() {
    plugin!(
        Jump,
        named(),
        fn before_model(&self, _: &Context) -> Result<Update> {
            Ok(Update::new().jump(agenthost::Target::End))
        }
    );
    Test::<Jump>::new().before_model();
}

#[test]
fn a_configuration_that_is_not_known_is_refused() {
    plugin!(Plain, named(),);
    assert!(configure::<Plain>(Map::new()).is_ok());
    assert_eq!(configure::<Plain>(Map::from([("x", 1)])).unwrap_err().message, "config: a map is not unit");
}

#[test]
fn an_update_says_all_that_it_may() {
    plugin!(
        Everything,
        named(),
        fn after_model(&self, ctx: &Context) -> Result<Update> {
            assert_eq!(ctx.messages().count(), 0);
            Ok(Update::new().patch(Patch::of("m1").content("[redacted]")).remove("m2").message(Message::ai("so")))
        }
    );
    let outcome = Test::<Everything>::new().messages([Message::human("secret")]).after_model();
    assert_eq!(outcome.patch[0].id(), "m1");
    assert_eq!(outcome.remove, ["m2"]);
    assert_eq!(outcome.messages[0].content.text(), "so");
}

/// A value of so many arrays inside each other.
fn deep(depth: usize) -> Raw {
    let mut bytes = vec![0x91; depth];
    bytes.push(0xc0);
    Raw::from_bytes(bytes).unwrap()
}

#[test]
fn documents_that_nest_too_deeply_are_errors() {
    plugin!(
        Deep,
        named(),
        fn before_model(&self, ctx: &Context) -> Result<Update> {
            let depth: usize = ctx.input().get("now").and_then(|v| v.as_u64()).unwrap() as usize;
            ctx.interrupt("sure", deep(depth))?;
            Ok(Update::new())
        }
    );
    plugin!(
        DeepChange,
        named(),
        fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
            ctx.next_with(&CallChange::new().args(Map::from([("deep", deep(63))])))?;
            Ok(ToolAnswer::unchanged())
        }
    );
    // interrupts: [{key, value}] has three levels around the value.
    let fits = Test::<Deep>::new().input(|i| i.now = 61).before_model();
    assert!(fits.error.is_none());
    assert_eq!(fits.interrupts.len(), 1);
    let fails = Test::<Deep>::new().input(|i| i.now = 62).before_model();
    assert_eq!(fails.error.unwrap().kind, "too_deep");
    let fails = Test::<DeepChange>::new().call("search", Map::new()).wrap_tool_call();
    assert_eq!(fails.error.unwrap().kind, "too_deep");
    assert!(fails.nexts.is_empty());
}
