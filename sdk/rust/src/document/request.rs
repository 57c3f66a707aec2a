use super::codec::document;
use super::{Content, Message, Patch, ToolSpec};
use crate::wire::{Map, Raw};

/// A list of names that distinguishes an absent list, which is `None`, from an empty one.
pub type NameList = Option<Vec<String>>;

document! {
    /// The change of the request that `wrap_model_call` passes to `next`. An absent key changes nothing.
    RequestChange {
        /// Further tools to offer.
        maybe "add_tools" => add_tools: Vec<ToolSpec>,
        /// Appended to the system prompt, after `system`.
        maybe "append_system" => append_system: Option<Content>,
        /// Appended, or replacing the message of the same id; with `overwrite`, they replace all messages.
        maybe "messages" => messages: Vec<Message>,
        /// The name of a configured model; empty: unchanged.
        maybe "model" => model: String,
        /// `messages` are all messages of the request.
        maybe "overwrite" => overwrite: bool,
        /// Changed messages, by id.
        maybe "patch" => patch: Vec<Patch>,
        /// Ids of messages to remove.
        maybe "remove" => remove: Vec<String>,
        /// Each key replaces that key of the settings.
        maybe "settings" => settings: Map,
        /// Replaces the system prompt; the empty content removes it.
        maybe "system" => system: Option<Content>,
        /// Replaces the tool choice; empty: the provider's default.
        maybe "tool_choice" => tool_choice: Option<String>,
        /// Keep only these tools, in the request's order.
        maybe "tools" => tools: NameList,
    }
}

impl RequestChange {
    /// No change yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends the request to another configured model.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = name.into();
        self
    }

    /// Replaces the system prompt; the empty content removes it.
    #[must_use]
    pub fn system(mut self, content: impl Into<Content>) -> Self {
        self.system = Some(content.into());
        self
    }

    /// Appends to the system prompt, after a replacement.
    #[must_use]
    pub fn append_system(mut self, content: impl Into<Content>) -> Self {
        self.append_system = Some(content.into());
        self
    }

    /// Appends a message, or replaces the one of the same id.
    #[must_use]
    pub fn message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// Replaces all messages.
    #[must_use]
    pub fn overwrite(mut self, messages: impl Into<Vec<Message>>) -> Self {
        self.overwrite = true;
        self.messages = messages.into();
        self
    }

    /// Changes the message of the patch's id.
    #[must_use]
    pub fn patch(mut self, patch: Patch) -> Self {
        self.patch.push(patch);
        self
    }

    /// Removes the message of this id.
    #[must_use]
    pub fn remove(mut self, id: impl Into<String>) -> Self {
        self.remove.push(id.into());
        self
    }

    /// Keeps only these of the request's tools; an empty list offers no tools.
    #[must_use]
    pub fn keep_tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Offers one more tool.
    #[must_use]
    pub fn add_tool(mut self, tool: ToolSpec) -> Self {
        self.add_tools.push(tool);
        self
    }

    /// Sets `auto`, `none`, `any` or the name of a tool; empty is the provider's default.
    #[must_use]
    pub fn tool_choice(mut self, choice: impl Into<String>) -> Self {
        self.tool_choice = Some(choice.into());
        self
    }

    /// Sets one setting for the provider, by its own name.
    #[must_use]
    pub fn setting(mut self, key: impl Into<String>, value: impl Into<Raw>) -> Self {
        self.settings.set(key, value);
        self
    }
}

document! {
    /// The change of the call that `wrap_tool_call` passes to `next`.
    CallChange {
        /// Replaces all arguments.
        maybe "args" => args: Option<Map>,
        /// The name in the answer; the tool that runs stays the same.
        maybe "name" => name: String,
        /// Each key replaces that key of the arguments, after `args`.
        maybe "set_args" => set_args: Map,
        /// The tool to run: one that the plugin declared as `dynamic`.
        maybe "tool" => tool: String,
    }
}

impl CallChange {
    /// No change yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces all arguments.
    #[must_use]
    pub fn args(mut self, args: impl Into<Map>) -> Self {
        self.args = Some(args.into());
        self
    }

    /// Sets one argument.
    #[must_use]
    pub fn set_arg(mut self, key: impl Into<String>, value: impl Into<Raw>) -> Self {
        self.set_args.set(key, value);
        self
    }

    /// Sets the name in the answer; the tool that runs stays the same.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Runs another tool: one that the plugin declared as dynamic.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tool = name.into();
        self
    }
}
