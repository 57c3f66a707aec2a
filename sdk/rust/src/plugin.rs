use crate::document::Description;
use crate::schema::Schema;
use crate::{Context, ModelAnswer, ModelContext, Result, ToolAnswer, ToolContext, Tools, Update};
use serde::de::DeserializeOwned;

/// A plugin: hooks around the calls of a model and its tools. It is implemented with the attribute
/// [`#[agenthost::plugin]`](crate::plugin), which makes the module's exports of the hooks that are there. Without the
/// attribute the implementation lacks `IMPLEMENTED` and does not compile.
///
/// An instance serves one call at a time, and any instance may serve any call: what must survive a call belongs into state
/// fields, not into the plugin.
///
/// ```compile_fail,E0046
/// # use agenthost::{Description, Plugin, Result};
/// struct Forgot;
///
/// // The attribute is missing.
/// impl Plugin for Forgot {
///     type Config = ();
///
///     fn describe() -> Description {
///         Description::new("forgot", "1.0.0")
///     }
///
///     fn new(_: ()) -> Result<Self> {
///         Ok(Forgot)
///     }
/// }
/// ```
pub trait Plugin: Sized + 'static {
    /// What the attribute finds implemented.
    #[doc(hidden)]
    const IMPLEMENTED: &'static [Export];

    /// The configuration. Its schema is that of the type; the attribute makes it `()`, no configuration, where it is left
    /// out.
    type Config: DeserializeOwned + Schema;

    /// What the plugin is and may do at most. Hooks that it implements and does not mention have an empty spec.
    fn describe() -> Description;

    /// Takes the configuration, in which the schema's defaults are filled in, once in every instance. An error refuses it.
    /// The attribute makes it [`Default::default`] where it is left out.
    fn new(config: Self::Config) -> Result<Self>;

    /// What the plugin does with this configuration: less than the whole Description, or `None` for all of it.
    fn narrow(&self, description: Description) -> Option<Description> {
        let _ = description;
        None
    }

    /// The tools of the plugin.
    fn tools() -> Tools<Self> {
        Tools::new()
    }

    /// Runs once when a run starts.
    fn before_agent(&self, ctx: &Context) -> Result<Update> {
        let _ = ctx;
        Ok(Update::new())
    }

    /// Runs before every model call.
    fn before_model(&self, ctx: &Context) -> Result<Update> {
        let _ = ctx;
        Ok(Update::new())
    }

    /// Runs after every model call.
    fn after_model(&self, ctx: &Context) -> Result<Update> {
        let _ = ctx;
        Ok(Update::new())
    }

    /// Runs once when a run ends.
    fn after_agent(&self, ctx: &Context) -> Result<Update> {
        let _ = ctx;
        Ok(Update::new())
    }

    /// Runs around every model call.
    fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
        let _ = ctx;
        Ok(ModelAnswer::unchanged())
    }

    /// Runs around every tool call.
    fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        let _ = ctx;
        Ok(ToolAnswer::unchanged())
    }

    /// Runs a tool of the plugin: that of [`tools`](Self::tools) which is called, unless the plugin has its own way.
    fn call_tool(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        Self::tools().run(self, ctx)
    }
}

/// A hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// Runs once when a run starts.
    BeforeAgent,
    /// Runs before every model call.
    BeforeModel,
    /// Runs after every model call.
    AfterModel,
    /// Runs once when a run ends.
    AfterAgent,
    /// Runs around every model call.
    WrapModelCall,
    /// Runs around every tool call.
    WrapToolCall,
}

impl Hook {
    /// All hooks.
    pub const ALL: [Hook; 6] = [
        Hook::BeforeAgent,
        Hook::BeforeModel,
        Hook::AfterModel,
        Hook::AfterAgent,
        Hook::WrapModelCall,
        Hook::WrapToolCall,
    ];

    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Hook::BeforeAgent => "before_agent",
            Hook::BeforeModel => "before_model",
            Hook::AfterModel => "after_model",
            Hook::AfterAgent => "after_agent",
            Hook::WrapModelCall => "wrap_model_call",
            Hook::WrapToolCall => "wrap_tool_call",
        }
    }
}

/// What a plugin implements and its module exports.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// A hook.
    Hook(Hook),
    /// `call_tool`.
    CallTool,
}

/// The whole Description of a plugin: with its tools, its configuration and the hooks that it does not mention.
///
/// Panics where it lists what the plugin does not implement.
pub(crate) fn description<P: Plugin>() -> Description {
    let mut d = P::describe();
    d.abi = 1;
    if d.config_schema.is_none() {
        d.config_schema = crate::schema::of::<P::Config>();
    }
    d.tools.extend(P::tools().specs());
    assert!(
        d.tools.is_empty() || P::IMPLEMENTED.contains(&Export::CallTool),
        "the Description lists tools, and the plugin implements neither tools nor call_tool"
    );
    for hook in Hook::ALL {
        let is_implemented = P::IMPLEMENTED.contains(&Export::Hook(hook));
        let spec = d.hooks.spec_mut(hook);
        assert!(
            is_implemented || spec.is_none(),
            "the Description lists {}, which the plugin does not implement",
            hook.as_str()
        );
        if is_implemented {
            spec.get_or_insert_default();
        }
    }
    d
}
