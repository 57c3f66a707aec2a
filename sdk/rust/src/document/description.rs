use super::codec::document;
use super::ViewSpec;
use crate::wire::{Map, Raw};

document! {
    /// How a plugin describes itself: the upper bound of what it may do, or what it does with its configuration.
    Description {
        /// The major version of the ABI.
        "abi" => abi: u64,
        /// Operations that the plugin asks for.
        maybe "capabilities" => capabilities: Vec<Capability>,
        /// A JSON Schema for the configuration; empty: the plugin takes no configuration.
        maybe "config_schema" => config_schema: Raw,
        /// Keys of the run's context that the plugin is shown. The operator grants each of them.
        maybe "context" => context: Vec<String>,
        /// State fields.
        maybe "fields" => fields: Vec<FieldSpec>,
        /// The plugin protects something: a run must not go on without it after a fault.
        maybe "guards" => guards: bool,
        /// The hooks.
        "hooks" => hooks: HookSpecs,
        /// Of the plugin.
        "name" => name: String,
        /// Tools.
        maybe "tools" => tools: Vec<ToolSpec>,
        /// Of the plugin.
        "version" => version: String,
    }
}

document! {
    /// A spec for each hook that a plugin has.
    HookSpecs {
        /// Runs once when a run ends.
        maybe "after_agent" => after_agent: Option<HookSpec>,
        /// Runs after every model call.
        maybe "after_model" => after_model: Option<HookSpec>,
        /// Runs once when a run starts.
        maybe "before_agent" => before_agent: Option<HookSpec>,
        /// Runs before every model call.
        maybe "before_model" => before_model: Option<HookSpec>,
        /// Runs around every model call.
        maybe "wrap_model_call" => wrap_model_call: Option<HookSpec>,
        /// Runs around every tool call.
        maybe "wrap_tool_call" => wrap_tool_call: Option<HookSpec>,
    }
}

document! {
    /// What one hook reads and may do.
    HookSpec {
        /// Node hooks: `model`, `tools`, `end`.
        maybe "can_jump_to" => can_jump_to: Vec<String>,
        /// Which messages the hook sees.
        maybe "messages" => messages: ViewSpec,
        /// `wrap_model_call`: the hook does not change the model's answer, so tokens may stream past it.
        maybe "passes_tokens" => passes_tokens: bool,
        /// Fields that the hook sees.
        maybe "reads" => reads: Vec<String>,
        /// `wrap_tool_call`: only calls of these tools; none: all.
        maybe "tools" => tools: Vec<String>,
        /// Fields of other middleware that it writes.
        maybe "writes" => writes: Vec<String>,
    }
}

document! {
    /// The declaration of a state field. [`Field`](crate::Field) makes it.
    FieldSpec {
        /// The caller of a run cannot set it.
        maybe "hide_input" => hide_input: bool,
        /// Results do not show it.
        maybe "hide_output" => hide_output: bool,
        /// `thread`, `run` or `step`.
        "lifetime" => lifetime: String,
        /// Its name.
        "name" => name: String,
        /// `last`, which is the same as empty, `add` or `append`.
        maybe "reducer" => reducer: String,
        /// A JSON Schema for the values written to it.
        maybe "schema" => schema: Raw,
    }
}

document! {
    /// The declaration of a tool.
    ToolSpec {
        /// The description for the model.
        "description" => description: String,
        /// The model is never offered the tool. It runs only as `tool` of a [`CallChange`](super::CallChange).
        maybe "dynamic" => dynamic: bool,
        /// Keys for the definition that the provider gets, such as `defer_loading`. Those that it does not know are left out.
        maybe "extras" => extras: Map,
        /// Running it again after a crash does no harm.
        maybe "idempotent" => idempotent: bool,
        /// Its name.
        "name" => name: String,
        /// A JSON Schema of type object; none: no parameters.
        maybe "parameters" => parameters: Raw,
        /// Its result ends the run.
        maybe "return_direct" => return_direct: bool,
    }
}

document! {
    /// An operation that a plugin asks for.
    Capability {
        /// The operation.
        "op" => op: String,
        /// The reason, shown to the operator who grants the operation.
        "reason" => reason: String,
        /// Without the grant the plugin is not loaded.
        maybe "required" => required: bool,
    }
}
