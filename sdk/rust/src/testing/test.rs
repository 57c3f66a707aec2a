use super::{Outcome, Reply};
use crate::document::{
    Decode, Description, Failure, HookInput, HookResult, HookSpec, Message, ModelInfo, ModelRequest, RunInfo, Scope,
    ToolCall, ToolSpec,
};
use crate::{dispatch, plugin, Context, Hook, Map, ModelContext, Plugin, Raw, Result, ToolContext, Value};
use std::collections::{BTreeMap, VecDeque};

/// A call of a hook in preparation: the plugin's configuration, the hook's input, and the host's
/// answers.
pub struct Test<P> {
    pub(super) plugin: P,
    pub(super) description: Description,
    pub(super) input: HookInput,
    pub(super) history: Vec<Message>,
    pub(super) seen: Option<usize>,
    pub(super) changed: Vec<Message>,
    pub(super) removed: Vec<String>,
    pub(super) fields: Map,
    pub(super) run: super::run::Run,
    pub(super) large: Vec<String>,
    pub(super) replies: VecDeque<Reply>,
    pub(super) operations: BTreeMap<String, VecDeque<Reply>>,
    pub(super) store: super::store::Store,
}

/// Configures a plugin. Returns the Description that then applies, or the error with which it refuses the configuration.
/// Like a host, it first fills in the schema's defaults; it does not check the configuration against the schema.
pub fn configure<P: Plugin>(config: impl Into<Raw>) -> Result<Description, Failure> {
    configured::<P>(&config.into()).map(|(_, description)| description)
}

fn configured<P: Plugin>(config: &Raw) -> Result<(P, Description), Failure> {
    let schema = crate::schema::of::<P::Config>();
    let config = if schema.is_none() { config.clone() } else { with_defaults(schema.value(), config.value()) };
    let (plugin, document) = dispatch::configure::<P>(config.value());
    match (plugin, document) {
        (Some(plugin), None) => Ok((plugin, plugin::description::<P>())),
        (Some(plugin), Some(narrowed)) => {
            let narrowed = Description::from_document(&narrowed).expect("the SDK wrote the Description");
            Ok((plugin, narrowed))
        }
        (None, document) => {
            let refusal = HookResult::from_document(&document.unwrap_or_default()).unwrap_or_default();
            Err(refusal.error.unwrap_or_default())
        }
    }
}

/// Fills in the defaults that a schema has for properties, at every depth where there is an object to fill.
fn with_defaults(schema: Value<'_>, config: Value<'_>) -> Raw {
    let Some(properties) = schema.get("properties").filter(|_| config.is_map()) else {
        return config.to_raw();
    };
    let mut full = Map::new();
    for (key, value) in config.pairs() {
        full.set(key, properties.get(key).map_or_else(|| value.to_raw(), |inner| with_defaults(inner, value)));
    }
    for (key, property) in properties.pairs() {
        if let Some(default) = property.get("default").filter(|_| full.get(key).is_none()) {
            full.set(key, default.to_raw());
        }
    }
    full.into()
}

impl<P: Plugin> Default for Test<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Plugin> Test<P> {
    /// A call of the plugin without configuration.
    pub fn new() -> Self {
        Self::with(Map::new())
    }

    /// A call of the plugin with this configuration. It panics if the plugin refuses it; see [`configure`].
    pub fn with(config: impl Into<Map>) -> Self {
        let made = configured(&Raw::from(config.into()));
        let (plugin, description) =
            made.unwrap_or_else(|e| panic!("the plugin refuses its configuration: {}", e.message));
        let input = HookInput { n: 1, run: "run".into(), seed: 1, thread: "thread".into(), ..HookInput::default() };
        Test {
            plugin,
            description,
            input,
            history: Vec::new(),
            seen: None,
            changed: Vec::new(),
            removed: Vec::new(),
            fields: Map::new(),
            run: super::run::Run::default(),
            large: Vec::new(),
            replies: VecDeque::new(),
            operations: BTreeMap::new(),
            store: super::store::Store::default(),
        }
    }

    /// Sets the history. Messages without an id get one: `m1`, `m2`, … The hook sees its declared view of them.
    #[must_use]
    pub fn messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        for message in messages {
            let id = if message.id.is_empty() { format!("m{}", self.history.len() + 1) } else { message.id.clone() };
            self.history.push(message.with_id(id));
        }
        self
    }

    /// View `new`: the hook has already seen this many messages. Without it, all are new and the view is reset.
    #[must_use]
    pub fn seen(mut self, messages: usize) -> Self {
        self.seen = Some(messages);
        self
    }

    /// View `new`: this message, which the hook has seen, was replaced. The history holds its new form.
    #[must_use]
    pub fn replaced(mut self, message: Message) -> Self {
        self.changed.push(message);
        self
    }

    /// View `new`: the message of this id, which the hook has seen, was removed.
    #[must_use]
    pub fn removed(mut self, id: &str) -> Self {
        self.removed.push(id.to_owned());
        self
    }

    /// Sets a state field.
    #[must_use]
    pub fn state(mut self, field: &str, value: impl Into<Raw>) -> Self {
        self.fields.set(field, value);
        self
    }

    /// Sets a state field that is too large for the input, so that the hook has to fetch it.
    #[must_use]
    pub fn large_state(mut self, field: &str, value: impl Into<Raw>) -> Self {
        self.large.push(field.to_owned());
        self.state(field, value)
    }

    /// Sets a value of the run's context, under a key that the Description lists.
    #[must_use]
    pub fn context(mut self, key: &str, value: impl Into<Raw>) -> Self {
        let listed = &self.description.context;
        assert!(
            listed.iter().any(|k| k == key),
            "the test sets the key {key} of the context, which the Description does not list"
        );
        self.input.context.set(key, value);
        self
    }

    /// Sets what `run.info` returns. Without it, the agent is called `agent`, and the run has used nothing.
    #[must_use]
    pub fn run_info(mut self, info: RunInfo) -> Self {
        self.run.info = info;
        self
    }

    /// Configures one more model. The first is the agent's; without any, there is one called `model`.
    #[must_use]
    pub fn model_info(mut self, model: ModelInfo) -> Self {
        self.run.models.push(model);
        self
    }

    /// Gives the agent a tool. `tools.read` returns those that the request names.
    #[must_use]
    pub fn tool(mut self, tool: ToolSpec) -> Self {
        self.run.tools.push(tool);
        self
    }

    /// Answers an interrupt.
    #[must_use]
    pub fn answer(mut self, key: &str, value: impl Into<Raw>) -> Self {
        self.input.answers.set(key, value);
        self
    }

    /// Sets the request that `wrap_model_call` sees. Its messages are the history.
    #[must_use]
    pub fn request(mut self, request: ModelRequest) -> Self {
        self.input.request = Some(request);
        self
    }

    /// Sets the call that `wrap_tool_call` or a tool sees.
    #[must_use]
    pub fn call(mut self, tool: &str, args: impl Into<Map>) -> Self {
        self.input.call = Some(ToolCall::new("call-1", tool, args));
        self.input.known = true;
        self
    }

    /// Changes any other key of the input.
    #[must_use]
    pub fn input(mut self, change: impl FnOnce(&mut HookInput)) -> Self {
        change(&mut self.input);
        self
    }

    /// Sets how the following call of `next` ends.
    #[must_use]
    pub fn reply(mut self, reply: Reply) -> Self {
        self.replies.push_back(reply);
        self
    }

    /// Sets how the following call of an operation ends. Without it, `state.read`, `event.emit`, `budget`,
    /// `run.info`, `model.info`, `tools.read`, `tokens.count`, `clock.sleep` and `kv.*` use the data of the test.
    #[must_use]
    pub fn operation(mut self, op: &str, reply: Reply) -> Self {
        self.operations.entry(op.to_owned()).or_default().push_back(reply);
        self
    }

    /// Puts an entry into the store.
    #[must_use]
    pub fn stored(mut self, scope: Scope, key: &str, value: impl Into<Raw>) -> Self {
        self.store.put(scope.as_str(), key.to_owned(), value.into());
        self
    }

    /// Calls `before_agent`.
    pub fn before_agent(self) -> Outcome {
        self.node(Hook::BeforeAgent, P::before_agent)
    }

    /// Calls `before_model`.
    pub fn before_model(self) -> Outcome {
        self.node(Hook::BeforeModel, P::before_model)
    }

    /// Calls `after_model`.
    pub fn after_model(self) -> Outcome {
        self.node(Hook::AfterModel, P::after_model)
    }

    /// Calls `after_agent`.
    pub fn after_agent(self) -> Outcome {
        self.node(Hook::AfterAgent, P::after_agent)
    }

    fn node(self, hook: Hook, method: fn(&P, &Context) -> Result<crate::Update>) -> Outcome {
        self.perform(Some(hook), |plugin, ctx| {
            let said = method(plugin, &ctx).and_then(crate::Update::into_result);
            (ctx, said)
        })
    }

    /// Calls `wrap_model_call`.
    pub fn wrap_model_call(mut self) -> Outcome {
        self.input.request.get_or_insert_default();
        self.perform(Some(Hook::WrapModelCall), |plugin, ctx| {
            let ctx = ModelContext(ctx);
            let said = plugin.wrap_model_call(&ctx).and_then(crate::ModelAnswer::into_result);
            (ctx.0, said)
        })
    }

    /// Calls `wrap_tool_call`. It panics without [`call`](Self::call).
    pub fn wrap_tool_call(self) -> Outcome {
        self.performed(Some(Hook::WrapToolCall), P::wrap_tool_call)
    }

    /// Calls `call_tool`. It panics without [`call`](Self::call).
    pub fn call_tool(self) -> Outcome {
        self.performed(None, P::call_tool)
    }

    fn performed(self, hook: Option<Hook>, method: fn(&P, &ToolContext) -> Result<crate::ToolAnswer>) -> Outcome {
        assert!(self.input.call.is_some(), "the test has no tool call: Test::call");
        self.perform(hook, |plugin, ctx| {
            let ctx = ToolContext(ctx);
            let said = method(plugin, &ctx).and_then(crate::ToolAnswer::into_result);
            (ctx.0, said)
        })
    }

    /// The spec of the hook; for `call_tool`, one that reads all fields of the plugin.
    pub(super) fn spec(&self, hook: Option<Hook>) -> HookSpec {
        match hook {
            Some(hook) => self.description.hooks.spec(hook).cloned().unwrap_or_else(|| {
                panic!("the plugin does not have the hook {}, or its configuration leaves it out", hook.as_str())
            }),
            None => HookSpec { reads: self.own_fields(), ..HookSpec::default() },
        }
    }

    pub(super) fn own_fields(&self) -> Vec<String> {
        self.description.fields.iter().map(|f| f.name.clone()).collect()
    }
}
