//! Building a Description.

use crate::document::{Capability, Description, HookSpec, HookSpecs, ToolSpec, ViewSpec};
use crate::field::{DeclareField, FieldName};
use crate::{Hook, Target};

impl Description {
    /// A plugin with this name and version and nothing else yet. You need not list implemented
    /// hooks with an empty spec, the tools, or the configuration.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Description { abi: 1, name: name.into(), version: version.into(), ..Description::default() }
    }

    /// Says that the plugin protects something: the host does not let a run go on without it after a fault, unless the
    /// operator accepts that, and the tools that its `wrap_tool_call` lists must exist.
    #[must_use]
    pub fn guards(mut self) -> Self {
        self.guards = true;
        self
    }

    /// Declares a state field.
    #[must_use]
    pub fn field(mut self, field: impl DeclareField) -> Self {
        self.fields.push(field.field_spec());
        self
    }

    /// Asks to be shown a key of the run's context, which the operator grants. Hooks read it with
    /// [`Context::context`](crate::Context::context).
    #[must_use]
    pub fn context(mut self, key: &str) -> Self {
        self.context.push(key.to_owned());
        self
    }

    /// Asks for an operation, with a reason for the operator.
    #[must_use]
    pub fn capability(self, op: &str, reason: &str) -> Self {
        self.ask(op, reason, false)
    }

    /// Asks for an operation without which the plugin is not loaded.
    #[must_use]
    pub fn required_capability(self, op: &str, reason: &str) -> Self {
        self.ask(op, reason, true)
    }

    fn ask(mut self, op: &str, reason: &str, required: bool) -> Self {
        self.capabilities.push(Capability { op: op.to_owned(), reason: reason.to_owned(), required });
        self
    }

    /// Lists a tool that the plugin's `call_tool` runs. Those of [`Plugin::tools`](crate::Plugin::tools) are listed anyway.
    #[must_use]
    pub fn tool(mut self, tool: ToolSpec) -> Self {
        self.tools.push(tool);
        self
    }

    fn hook(mut self, hook: Hook, spec: HookSpec) -> Self {
        *self.hooks.spec_mut(hook) = Some(spec);
        self
    }

    /// What `before_agent` reads and may do.
    #[must_use]
    pub fn before_agent(self, spec: HookSpec) -> Self {
        self.hook(Hook::BeforeAgent, spec)
    }

    /// What `before_model` reads and may do.
    #[must_use]
    pub fn before_model(self, spec: HookSpec) -> Self {
        self.hook(Hook::BeforeModel, spec)
    }

    /// What `after_model` reads and may do.
    #[must_use]
    pub fn after_model(self, spec: HookSpec) -> Self {
        self.hook(Hook::AfterModel, spec)
    }

    /// What `after_agent` reads and may do.
    #[must_use]
    pub fn after_agent(self, spec: HookSpec) -> Self {
        self.hook(Hook::AfterAgent, spec)
    }

    /// What `wrap_model_call` reads and may do.
    #[must_use]
    pub fn wrap_model_call(self, spec: HookSpec) -> Self {
        self.hook(Hook::WrapModelCall, spec)
    }

    /// What `wrap_tool_call` reads and may do.
    #[must_use]
    pub fn wrap_tool_call(self, spec: HookSpec) -> Self {
        self.hook(Hook::WrapToolCall, spec)
    }
}

impl HookSpecs {
    /// The spec of a hook, if the plugin has it.
    pub fn spec(&self, hook: Hook) -> Option<&HookSpec> {
        match hook {
            Hook::BeforeAgent => self.before_agent.as_ref(),
            Hook::BeforeModel => self.before_model.as_ref(),
            Hook::AfterModel => self.after_model.as_ref(),
            Hook::AfterAgent => self.after_agent.as_ref(),
            Hook::WrapModelCall => self.wrap_model_call.as_ref(),
            Hook::WrapToolCall => self.wrap_tool_call.as_ref(),
        }
    }

    /// A mutable reference to a hook's spec.
    pub fn spec_mut(&mut self, hook: Hook) -> &mut Option<HookSpec> {
        match hook {
            Hook::BeforeAgent => &mut self.before_agent,
            Hook::BeforeModel => &mut self.before_model,
            Hook::AfterModel => &mut self.after_model,
            Hook::AfterAgent => &mut self.after_agent,
            Hook::WrapModelCall => &mut self.wrap_model_call,
            Hook::WrapToolCall => &mut self.wrap_tool_call,
        }
    }
}

impl HookSpec {
    /// The spec of a hook that sees nothing.
    pub fn new() -> Self {
        HookSpec::default()
    }

    /// Sets which messages the hook sees.
    #[must_use]
    pub fn view(mut self, view: ViewSpec) -> Self {
        self.messages = view;
        self
    }

    /// Shows a field to the hook.
    #[must_use]
    pub fn reads(mut self, field: impl FieldName) -> Self {
        self.reads.push(field.field_name().to_owned());
        self
    }

    /// Lets the hook write a field of other middleware. The plugin's own fields need not be listed.
    #[must_use]
    pub fn writes(mut self, field: impl FieldName) -> Self {
        self.writes.push(field.field_name().to_owned());
        self
    }

    /// Lets a node hook send the run to this target.
    #[must_use]
    pub fn can_jump_to(mut self, target: Target) -> Self {
        self.can_jump_to.push(target.as_str().to_owned());
        self
    }

    /// Limits `wrap_tool_call` to calls of this tool, and of others that are listed in the same way.
    #[must_use]
    pub fn only_tool(mut self, name: &str) -> Self {
        self.tools.push(name.to_owned());
        self
    }

    /// Declares that `wrap_model_call` does not change the model's answer, so that tokens may stream past it.
    #[must_use]
    pub fn passes_tokens(mut self) -> Self {
        self.passes_tokens = true;
        self
    }
}
