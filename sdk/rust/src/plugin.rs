use crate::document::Description;
use crate::schema::Schema;
use crate::{Context, ModelAnswer, ModelContext, Result, ToolAnswer, ToolContext, Tools, Update};
use serde::de::DeserializeOwned;

/// A plugin: hooks around the calls of a model and its tools. Implement it with the attribute
/// [`#[agenthost::plugin]`](crate::plugin), which makes the module export the implemented hooks.
/// Without the attribute, the implementation lacks `IMPLEMENTED` and does not compile.
///
/// An instance serves one call at a time, and any instance may serve any call. Keep data that must
/// survive a call in state fields, not in the plugin.
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
    /// The methods that the attribute finds.
    #[doc(hidden)]
    const IMPLEMENTED: &'static [Export];

    /// The type of the configuration, which also gives its schema. If it is left out, the attribute
    /// makes it `()`, which means no configuration.
    type Config: DeserializeOwned + Schema;

    /// Describes the plugin and the most that it may do. Implemented hooks that are not listed have an empty spec.
    fn describe() -> Description;

    /// Takes the configuration, with the schema's defaults filled in, once in every instance. An
    /// error refuses it. If the method is left out, the attribute makes it [`Default::default`].
    fn new(config: Self::Config) -> Result<Self>;

    /// Narrows the Description to what the plugin does with this configuration; `None` keeps all of it.
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

    /// Runs a tool of the plugin. By default it runs the called tool of [`tools`](Self::tools).
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

/// A method that a plugin implements and its module exports.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// A hook.
    Hook(Hook),
    /// `call_tool`.
    CallTool,
}

/// The whole Description of a plugin, including its tools, its configuration and the hooks that it does not list.
///
/// Panics if it lists a hook or tool that the plugin does not implement.
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
