use super::codec::document;
use super::{Message, ToolSpec, Usage};

document! {
    /// Which run a hook or tool belongs to, and what it has used.
    RunInfo {
        /// The name of the agent.
        maybe "agent" => agent: String,
        /// Id of the run whose tool or hook started this run; empty: none.
        maybe "parent" => parent: String,
        /// Of all model calls of the run so far, including those of `model.generate`.
        "usage" => usage: Usage,
    }
}

document! {
    /// Asks about a model.
    ModelQuery {
        /// The name of a configured model; empty: that of the request in `wrap_model_call`, and elsewhere the agent's.
        maybe "model" => model: String,
    }
}

document! {
    /// What the host knows about a model. A value that it does not know is `None`, 0, false or empty.
    ModelInfo {
        /// It accepts recordings of sound.
        maybe "audio_inputs" => audio_inputs: Option<bool>,
        /// It accepts images.
        maybe "image_inputs" => image_inputs: Option<bool>,
        /// It accepts images in tool messages.
        maybe "image_tool_message" => image_tool_message: Option<bool>,
        /// The most tokens of a request.
        maybe "max_input_tokens" => max_input_tokens: u64,
        /// The most tokens of an answer.
        maybe "max_output_tokens" => max_output_tokens: u64,
        /// The provider's name for the model.
        "name" => name: String,
        /// It accepts documents, at least PDF.
        maybe "pdf_inputs" => pdf_inputs: Option<bool>,
        /// It accepts documents in tool messages.
        maybe "pdf_tool_message" => pdf_tool_message: Option<bool>,
        /// Such as `openai`.
        maybe "provider" => provider: String,
        /// It reasons before it answers.
        maybe "reasoning_output" => reasoning_output: bool,
        /// The provider enforces a JSON Schema.
        maybe "structured_output" => structured_output: bool,
        /// It accepts films.
        maybe "video_inputs" => video_inputs: Option<bool>,
    }
}

document! {
    /// The tools that a request offers.
    ToolList {
        /// In the order of the request.
        "tools" => tools: Vec<ToolSpec>,
    }
}

document! {
    /// Asks for the number of tokens of messages.
    TokenQuery {
        /// The messages to count, as they are in a view.
        "messages" => messages: Vec<Message>,
        /// As in [`ModelQuery`].
        maybe "model" => model: String,
    }
}

document! {
    /// A number of tokens.
    TokenCount {
        /// The number.
        "tokens" => tokens: u64,
    }
}
