use super::*;
use agenthost::testing::{configure, Outcome, Test};

/// A configuration with the defaults that the host fills in.
fn config(changes: impl Into<Map>) -> Map {
    let mut config = Map::new()
        .with("max_repeats", 3)
        .with("max_cycle", 4)
        .with("max_cycles", 3)
        .with("same_result_only", true)
        .with("action", "warn");
    config.merge(&changes.into());
    config
}

/// A run that goes on from step to step.
struct Run {
    config: Map,
    history: Vec<Message>,
    trail: Option<Raw>,
    seen: usize, // by before_model
}

/// A tool, its argument and its answer.
type Call<'a> = (&'a str, i64, &'a str);

impl Run {
    fn new(changes: impl Into<Map>) -> Self {
        let mut run =
            Run { config: config(changes), history: vec![Message::human("go").with_id("m1")], trail: None, seen: 0 };
        assert!(run.before_model().messages.is_empty());
        run
    }

    fn test(&self, seen: usize) -> Test<LoopGuard> {
        let test = Test::<LoopGuard>::with(self.config.clone()).messages(self.history.clone());
        let test = if seen == 0 { test } else { test.seen(seen) };
        match &self.trail {
            Some(trail) => test.state("loopguard", trail.clone()),
            None => test,
        }
    }

    fn before_model(&mut self) -> Outcome {
        let outcome = self.test(self.seen).before_model();
        self.trail = outcome.state("loopguard").or(self.trail.take());
        self.seen = self.history.len();
        outcome
    }

    fn say(&mut self, message: Message) {
        let id = format!("m{}", self.history.len() + 1);
        self.history.push(message.with_id(id));
    }

    /// The model asks for calls.
    fn ask(&mut self, calls: &[Call]) {
        let asked = calls.iter().enumerate().fold(Message::ai(""), |message, (i, (tool, n, _))| {
            message.with_call(ToolCall::new(format!("c{i}"), *tool, [("n", *n)]))
        });
        self.say(asked);
    }

    /// The model asks for calls, they are answered, and the model is about to be asked again.
    fn step(&mut self, calls: &[Call]) -> Outcome {
        self.ask(calls);
        let asked = self.history.last().unwrap().tool_calls.clone();
        for (call, (_, _, answer)) in asked.iter().zip(calls) {
            self.say(Message::tool(call, *answer));
        }
        self.before_model()
    }

    /// The model asks for calls, and after_model looks at them.
    fn end(&mut self, calls: &[Call]) -> Outcome {
        self.ask(calls);
        self.test(self.seen).after_model()
    }
}

fn events(outcome: &Outcome) -> Vec<String> {
    outcome.events.iter().map(|e| format!("{} {:?}", e.name, e.data)).collect()
}

/// The counts of the warnings of steps with one call each.
fn warnings(config: impl Into<Map>, calls: &[Call]) -> Vec<Option<u64>> {
    let mut run = Run::new(config);
    let count = |outcome: Outcome| {
        assert_eq!(outcome.patch.len(), outcome.events.len());
        outcome.events.first().and_then(|e| e.data.value().get("count")?.as_u64())
    };
    calls.iter().map(|call| count(run.step(&[*call]))).collect()
}

#[test]
fn warns_of_a_repeated_call() {
    let mut run = Run::new([("max_repeats", 2)]);
    assert_eq!(events(&run.step(&[("search", 1, "none")])), [""; 0]);
    let outcome = run.step(&[("search", 1, "none")]);
    assert_eq!(
        events(&outcome),
        [r#"loop_detected {"action": "warn", "count": 2, "kind": "repeat", "tools": ["search"]}"#]
    );
    assert_eq!(outcome.patch[0].id(), "m5");
    assert_eq!(
        outcome.patch[0].content_set().unwrap().text(),
        "none\n\n[loopguard: the same call of search was made 2 times in a row, each time with the same result. \
         Doing it again will not help. Try something else, or answer with what you know.]"
    );
    assert!(outcome.messages.is_empty() && outcome.jump_to.is_empty());
}

#[test]
fn counts_calls_in_a_row() {
    let (a, b) = (("a", 1, "x"), ("a", 2, "x"));
    assert_eq!(
        warnings([("max_cycle", 1)], &[a, a, a, a, b, a, a, a]),
        [None, None, Some(3), Some(4), None, None, None, Some(3)]
    );
}

#[test]
fn another_result_is_progress() {
    let calls = [("poll", 1, "10%"), ("poll", 1, "20%"), ("poll", 1, "20%"), ("poll", 1, "30%"), ("poll", 1, "30%")];
    assert_eq!(warnings(Map::new(), &calls), [None; 5]);
    assert_eq!(warnings([("same_result_only", false)], &calls), [None, None, Some(3), Some(4), Some(5)]);
}

#[test]
fn an_error_is_another_result() {
    let mut run = Run::new([("max_repeats", 2)]);
    run.step(&[("a", 1, "x")]);
    run.ask(&[("a", 1, "x")]);
    let call = run.history.last().unwrap().tool_calls[0].clone();
    run.say(Message { status: "error".into(), ..Message::tool(&call, "x") });
    assert!(run.before_model().events.is_empty());
}

#[test]
fn warns_of_ping_pong() {
    let (a, b, c) = (("a", 1, "x"), ("b", 1, "y"), ("c", 1, "z"));
    let calls = [c, a, b, a, b, a, b, a, b, c];
    let cycle = |times| Some(times);
    assert_eq!(warnings(Map::new(), &calls), [None, None, None, None, None, None, cycle(3), None, cycle(4), None]);
    assert_eq!(warnings([("max_cycle", 1)], &calls), [None; 10]);
    let mut run = Run::new([("max_cycles", 2)]);
    let last = [a, b, c, a, b, c].map(|call| run.step(&[call])).into_iter().next_back().unwrap();
    assert_eq!(
        events(&last),
        [r#"loop_detected {"action": "warn", "count": 2, "kind": "ping_pong", "tools": ["a", "b", "c"]}"#]
    );
    let said = last.patch[0].content_set().unwrap().text();
    assert!(said.contains("the same calls of a, then b, then c were made 2 times in turn, each time with the same"));
}

#[test]
fn a_repeat_is_no_ping_pong() {
    let a = ("a", 1, "x");
    assert_eq!(warnings([("max_repeats", 9), ("max_cycles", 2)], &[a; 8]), [None; 8]);
    let b = ("b", 1, "x");
    let config = [("max_repeats", 9), ("max_cycles", 3)];
    // a b a b is a cycle of two steps, and none of four
    assert_eq!(warnings(config, &[a, b, a, b, a, b]), [None, None, None, None, None, Some(3)]);
}

#[test]
fn calls_at_once_are_a_set() {
    let mut run = Run::new([("max_repeats", 2)]);
    run.step(&[("a", 1, "x"), ("b", 2, "y")]);
    let outcome = run.step(&[("b", 2, "y"), ("a", 1, "x"), ("b", 2, "y")]);
    assert_eq!(
        events(&outcome),
        [r#"loop_detected {"action": "warn", "count": 2, "kind": "repeat", "tools": ["a", "b"]}"#]
    );
    assert_eq!(outcome.patch[0].id(), "m8", "the last answer");
    let swapped = run.step(&[("a", 1, "y"), ("b", 2, "x")]);
    assert!(swapped.events.is_empty(), "each call has its own result");
}

#[test]
fn looks_at_some_tools_only() {
    let calls = [("a", 1, "x"), ("think", 1, "ok"), ("a", 1, "x"), ("think", 2, "ok"), ("a", 1, "x")];
    assert_eq!(warnings(Map::new(), &calls), [None; 5]);
    let some = [None, None, None, None, Some(3)];
    assert_eq!(warnings([("tools", vec!["a"])], &calls), some);
    assert_eq!(warnings([("ignore_tools", vec!["think"])], &calls), some);
    assert_eq!(warnings([("tools", vec!["b"])], &calls), [None; 5]);
}

#[test]
fn what_was_before_the_run_is_no_part_of_it() {
    let mut earlier = Run::new([("max_repeats", 2)]);
    earlier.step(&[("a", 1, "x")]);
    let mut run = Run { trail: None, ..earlier };
    run.say(Message::human("again"));
    run.before_model();
    assert!(run.step(&[("a", 1, "x")]).events.is_empty());
    assert!(!run.step(&[("a", 1, "x")]).events.is_empty());
}

#[test]
fn a_step_is_taken_in_once() {
    let mut run = Run::new([("max_repeats", 3)]);
    run.step(&[("a", 1, "x")]);
    run.step(&[("a", 1, "x")]);
    run.seen = 0; // the history was overwritten
    let again = run.before_model();
    assert!(again.events.is_empty() && again.state("loopguard").is_none());
    run.seen = 0;
    assert_eq!(run.step(&[("a", 1, "x")]).events.len(), 1, "the last step is new");
}

#[test]
fn has_nothing_to_say_without_calls() {
    let mut run = Run::new(Map::new());
    run.say(Message::ai("done"));
    run.say(Message::human("more"));
    assert!(run.before_model().result.is_none());
}

#[test]
fn warns_in_blocks_and_of_long_answers() {
    let mut run = Run::new([("max_repeats", 2)]);
    let mut last = Outcome::default();
    for _ in 0..2 {
        run.ask(&[("a", 1, "")]);
        let call = run.history.last().unwrap().tool_calls[0].clone();
        run.say(Message::tool(&call, vec![Block::image_url("https://a.example/a.png")]));
        last = run.before_model();
    }
    let blocks = last.patch[0].content_set().unwrap().blocks();
    assert_eq!(blocks.len(), 2);
    assert!(blocks[1].text().starts_with("[loopguard: the same call of a was"));

    let long = "x".repeat(LONGEST_PATCH);
    let mut run = Run::new([("max_repeats", 2)]);
    run.step(&[("a", 1, &long)]);
    let outcome = run.step(&[("a", 1, &long)]);
    assert!(outcome.patch.is_empty());
    assert_eq!(outcome.messages[0].role, Role::Human);
    assert!(outcome.messages[0].content.text().starts_with("[loopguard: "));

    let mut run = Run::new([("max_repeats", 2)]);
    run.step(&[("a", 1, "")]);
    let text = run.step(&[("a", 1, "")]).patch[0].content_set().unwrap().text();
    assert!(text.starts_with("[loopguard: "), "{text}");
}

#[test]
fn leaves_open_calls_alone() {
    let mut run = Run::new([("max_repeats", 2)]);
    run.ask(&[("a", 1, "")]);
    run.before_model();
    run.ask(&[("a", 1, "")]);
    let outcome = run.before_model();
    assert_eq!(outcome.events.len(), 1);
    assert!(outcome.patch.is_empty() && outcome.messages.is_empty());
}

#[test]
fn stops_when_the_model_goes_on() {
    let mut run = Run::new(Map::new().with("max_repeats", 2).with("action", "stop"));
    run.step(&[("a", 1, "x")]);
    assert!(run.end(&[("a", 1, "")]).result.is_none(), "twice is allowed");
    run.history.pop();
    let warned = run.step(&[("a", 1, "x")]);
    assert_eq!(warned.events.len(), 1, "it warns first");
    assert!(run.end(&[("a", 2, "")]).result.is_none());
    run.history.pop();
    let outcome = run.end(&[("a", 1, "")]);
    assert_eq!(events(&outcome), [r#"loop_detected {"action": "stop", "count": 2, "kind": "repeat", "tools": ["a"]}"#]);
    assert_eq!(outcome.jump_to, "end");
    let said: Vec<_> = outcome.messages.iter().map(|m| (m.role, m.status.as_str(), m.content.text())).collect();
    assert_eq!(
        said,
        [
            (
                Role::Tool,
                "error",
                "Not performed: the run was stopped because it repeats what it did 2 times.".to_owned()
            ),
            (
                Role::Ai,
                "",
                "Loop detected: the same call of a was made 2 times in a row, each time with the same result."
                    .to_owned()
            ),
        ]
    );
    assert_eq!(outcome.messages[0].tool_call_id, "c0");
}

#[test]
fn stops_in_the_middle_of_ping_pong() {
    let (a, b) = (("a", 1, "x"), ("b", 1, "y"));
    let mut run = Run::new(Map::new().with("max_cycles", 2).with("action", "stop"));
    for call in [a, b, a, b] {
        run.step(&[call]);
    }
    assert!(run.end(&[b]).result.is_none(), "the cycle would go on with a");
    run.history.pop();
    assert_eq!(run.end(&[a]).jump_to, "end");
}

#[test]
fn answers_every_open_call() {
    let mut run = Run::new(Map::new().with("max_repeats", 2).with("action", "stop").with("tools", vec!["a"]));
    run.step(&[("a", 1, "x")]);
    run.step(&[("a", 1, "x")]);
    run.ask(&[("a", 1, ""), ("b", 1, ""), ("c", 1, "")]);
    let answered = run.history.last().unwrap().tool_calls[1].clone();
    run.say(Message::tool(&answered, "by another middleware"));
    let outcome = run.test(run.seen).after_model();
    let answers: Vec<_> = outcome.messages.iter().map(|m| m.tool_call_id.as_str()).collect();
    assert_eq!(answers, ["c0", "c2", ""]);
}

#[test]
fn looks_at_the_last_answer_of_the_model_only() {
    let mut run = Run::new(Map::new().with("max_repeats", 2).with("action", "stop"));
    run.step(&[("a", 1, "x")]);
    run.step(&[("a", 1, "x")]);
    run.ask(&[("a", 1, "")]); // another middleware sent the run back to the model
    run.say(Message::ai("done"));
    assert!(run.test(run.seen).after_model().result.is_none());
}

#[test]
fn fails_the_run() {
    let mut run = Run::new(Map::new().with("max_repeats", 2).with("action", "error").with("same_result_only", false));
    run.step(&[("a", 1, "x")]);
    run.step(&[("a", 1, "y")]);
    let error = run.end(&[("a", 1, "")]).error.unwrap();
    assert_eq!(error.kind, "loop_detected");
    assert_eq!(error.message, "Loop detected: the same call of a was made 2 times in a row.");
    assert_eq!(format!("{:?}", error.data), r#"{"action": "error", "count": 2, "kind": "repeat", "tools": ["a"]}"#);
}

#[test]
fn what_it_keeps_does_not_grow() {
    let mut run = Run::new(Map::new());
    let mut size = 0;
    for n in 0..40 {
        run.step(&[("a", n % 7, "x")]);
        let now = run.trail.as_ref().unwrap().bytes().len();
        if n >= 10 {
            assert!(now <= size + 8, "{now} bytes after {size}");
        }
        size = size.max(now);
    }
    assert!(size < 300, "{size} bytes");
}

#[test]
fn a_resumed_run_may_have_another_configuration() {
    let (a, b) = (("a", 1, "x"), ("b", 1, "y"));
    let mut run = Run::new(Map::new());
    for call in [a, b, a, b] {
        run.step(&[call]);
    }
    run.config = config([("max_cycle", 1)]);
    assert!(run.step(&[a]).events.is_empty());
    run.config = config([("max_cycle", 6)]);
    assert!([a, a].map(|call| run.step(&[call]).events.len()) == [0, 1]);
}

#[test]
fn asks_for_what_it_needs() {
    let warns = configure::<LoopGuard>(config(Map::new())).unwrap();
    assert!(warns.hooks.after_model.is_none() && warns.hooks.before_model.is_some());
    let stops = configure::<LoopGuard>(config([("action", "stop")])).unwrap();
    assert_eq!(stops.hooks.after_model.unwrap().can_jump_to, ["end"]);
}

#[test]
fn refuses_a_tool_in_both_lists() {
    let both = config([("tools", vec!["a"]), ("ignore_tools", vec!["a"])]);
    assert_eq!(configure::<LoopGuard>(both).unwrap_err().message, "\"a\" is in tools and in ignore_tools");
}
