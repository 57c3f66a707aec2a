//! Building a Description.

use crate::document::{Capability, Description, HookSpec, HookSpecs, ToolSpec, ViewSpec};
use crate::field::{DeclareField, FieldName};
use crate::{Hook, Target};

impl Description {
    /// A plugin of this name and version that has nothing yet. Hooks that it implements and whose spec is empty need not be
    /// mentioned; nor its tools and its configuration.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Description { abi: 1, name: name.into(), version: version.into(), ..Description::default() }
    }

    /// Declares a state field.
    #[must_use]
    pub fn field(mut self, field: impl DeclareField) -> Self {
        self.fields.push(field.field_spec());
        self
    }

    /// Asks for an operation, with a reason that the operator reads.
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

    /// The place of a hook's spec.
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
    /// A hook that is shown nothing.
    pub fn new() -> Self {
        HookSpec::default()
    }

    /// What it is shown of the messages.
    #[must_use]
    pub fn view(mut self, view: ViewSpec) -> Self {
        self.messages = view;
        self
    }

    /// It is shown a field.
    #[must_use]
    pub fn reads(mut self, field: impl FieldName) -> Self {
        self.reads.push(field.field_name().to_owned());
        self
    }

    /// It writes a field of other middleware. Those of the plugin need not be listed.
    #[must_use]
    pub fn writes(mut self, field: impl FieldName) -> Self {
        self.writes.push(field.field_name().to_owned());
        self
    }

    /// A node hook may send the run there.
    #[must_use]
    pub fn can_jump_to(mut self, target: Target) -> Self {
        self.can_jump_to.push(target.as_str().to_owned());
        self
    }

    /// `wrap_tool_call` sees calls of this tool only, and of others that are named so.
    #[must_use]
    pub fn only_tool(mut self, name: &str) -> Self {
        self.tools.push(name.to_owned());
        self
    }

    /// `wrap_model_call` does not change what the model says, so that tokens may stream past it.
    #[must_use]
    pub fn passes_tokens(mut self) -> Self {
        self.passes_tokens = true;
        self
    }
}
