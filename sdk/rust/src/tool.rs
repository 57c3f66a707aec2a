use crate::document::ToolSpec;
use crate::schema::{self, Schema};
use crate::{Map, Raw, Result, ToolAnswer, ToolContext};
use serde::de::DeserializeOwned;

/// The tools of a plugin, as [`Plugin::tools`](crate::Plugin::tools) lists them.
///
/// ```
/// use agenthost::{testing::Test, Description, Plugin, Result, Schema, ToolContext, Tools};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Schema)]
/// struct Add {
///     /// The first number.
///     a: i64,
///     /// The second number.
///     b: i64,
/// }
///
/// #[derive(Default)]
/// struct Adder;
///
/// impl Adder {
///     fn add(&self, _: &ToolContext, args: Add) -> Result<String> {
///         Ok((args.a + args.b).to_string())
///     }
/// }
///
/// #[agenthost::plugin]
/// impl Plugin for Adder {
///     fn describe() -> Description {
///         Description::new("adder", "1.0.0")
///     }
///
///     fn tools() -> Tools<Self> {
///         Tools::new().tool("add", "Add two numbers.", Self::add).idempotent()
///     }
/// }
///
/// let outcome = Test::<Adder>::new().call("add", [("a", 2), ("b", 3)]).call_tool();
/// assert_eq!(outcome.text(), "5");
/// let outcome = Test::<Adder>::new().call("add", [("a", 2)]).call_tool();
/// assert_eq!(outcome.text(), "the arguments of add do not fit: missing field `b`");
/// ```
pub struct Tools<P>(Vec<Tool<P>>);

/// The function that runs a tool, for any type of arguments.
type Run<P> = dyn Fn(&P, &ToolContext) -> Result<ToolAnswer>;

struct Tool<P> {
    name: &'static str,
    description: &'static str,
    parameters: Box<dyn Fn() -> Raw>,
    dynamic: bool,
    extras: Map,
    idempotent: bool,
    return_direct: bool,
    run: Box<Run<P>>,
}

impl<P> Default for Tools<P> {
    fn default() -> Self {
        Tools(Vec::new())
    }
}

impl<P: 'static> Tools<P> {
    /// No tools yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool: its name, a description for the model, and the function that runs it. The type of the arguments
    /// gives the schema of its parameters. The answer is a text, a [`Patch`](crate::Patch) or a [`ToolAnswer`].
    #[must_use]
    pub fn tool<A, R, F>(self, name: &'static str, description: &'static str, run: F) -> Self
    where
        A: DeserializeOwned + Schema + 'static,
        R: Into<ToolAnswer>,
        F: Fn(&P, &ToolContext, A) -> Result<R> + 'static,
    {
        self.add(name, description, Box::new(schema::of::<A>), move |plugin, ctx| match ctx.args() {
            Ok(args) => run(plugin, ctx, args).map(Into::into),
            Err(e) => Ok(ToolAnswer::error(format!("the arguments of {name} do not fit: {}", e.message()))),
        })
    }

    /// Adds a tool whose arguments are known only at run time, such as those of another server's tool: `parameters` is their
    /// JSON Schema, and `run` gets them as a map.
    ///
    /// ```
    /// # use agenthost::{testing::Test, Description, Map, Plugin, Result, ToolContext, Tools};
    /// #[derive(Default)]
    /// struct Echo;
    ///
    /// #[agenthost::plugin]
    /// impl Plugin for Echo {
    ///     fn describe() -> Description {
    ///         Description::new("echo", "1.0.0")
    ///     }
    ///
    ///     fn tools() -> Tools<Self> {
    ///         let anything = Map::from([("type", "object")]);
    ///         Tools::new().raw_tool("echo", "Says what it is told.", anything, |_, _: &ToolContext, args| {
    ///             Ok(format!("{args:?}"))
    ///         })
    ///     }
    /// }
    ///
    /// let outcome = Test::<Echo>::new().call("echo", [("at", "noon")]).call_tool();
    /// assert_eq!(outcome.text(), r#"{"at": "noon"}"#);
    /// ```
    #[must_use]
    pub fn raw_tool<R, F>(
        self,
        name: &'static str,
        description: &'static str,
        parameters: impl Into<Raw>,
        run: F,
    ) -> Self
    where
        R: Into<ToolAnswer>,
        F: Fn(&P, &ToolContext, Map) -> Result<R> + 'static,
    {
        let parameters = parameters.into();
        self.add(name, description, Box::new(move || parameters.clone()), move |plugin, ctx| {
            run(plugin, ctx, ctx.args()?).map(Into::into)
        })
    }

    fn add(
        mut self,
        name: &'static str,
        description: &'static str,
        parameters: Box<dyn Fn() -> Raw>,
        run: impl Fn(&P, &ToolContext) -> Result<ToolAnswer> + 'static,
    ) -> Self {
        self.0.push(Tool {
            name,
            description,
            parameters,
            dynamic: false,
            extras: Map::new(),
            idempotent: false,
            return_direct: false,
            run: Box::new(run),
        });
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Tool<P>)) -> Self {
        change(self.0.last_mut().expect("Tools: a property stands before the first tool"));
        self
    }

    /// Keeps the last tool from being offered to the model. It runs only as `tool` of a [`CallChange`](crate::CallChange).
    #[must_use]
    pub fn dynamic(self) -> Self {
        self.last(|t| t.dynamic = true)
    }

    /// Adds a key to the definition of the last tool that the provider gets, such as `defer_loading`. The value is left out
    /// where the provider does not know the key.
    #[must_use]
    pub fn extra(self, key: &str, value: impl Into<Raw>) -> Self {
        self.last(|t| t.extras.set(key, value))
    }

    /// Declares that running the last tool again after a crash does no harm.
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.last(|t| t.idempotent = true)
    }

    /// Makes the result of the last tool end the run.
    #[must_use]
    pub fn return_direct(self) -> Self {
        self.last(|t| t.return_direct = true)
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = ToolSpec> + '_ {
        self.0.iter().map(|t| ToolSpec {
            description: t.description.to_owned(),
            dynamic: t.dynamic,
            extras: t.extras.clone(),
            idempotent: t.idempotent,
            name: t.name.to_owned(),
            parameters: (t.parameters)(),
            return_direct: t.return_direct,
        })
    }

    /// Runs the called tool.
    pub(crate) fn run(&self, plugin: &P, ctx: &ToolContext) -> Result<ToolAnswer> {
        match self.0.iter().find(|t| t.name == ctx.tool()) {
            Some(tool) => (tool.run)(plugin, ctx),
            None => Err(crate::Error::new("unknown_tool", format!("the plugin has no tool {}", ctx.tool()))),
        }
    }
}
