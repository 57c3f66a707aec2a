use super::codec::document;
use super::{Content, Message};
use crate::wire::{Map, Raw};

document! {
    /// Asks for messages of the history, or for fields that the hook may read.
    StateQuery {
        /// Maximum number of messages.
        maybe "count" => count: u64,
        /// Names of fields. If there are any, the other keys are ignored.
        maybe "fields" => fields: Vec<String>,
        /// Index of the first message.
        maybe "from" => from: u64,
    }
}

document! {
    /// Answers a [`StateQuery`].
    StateReply {
        /// The requested messages, up to the end of the history.
        maybe "items" => items: Vec<Message>,
        /// Those of the requested fields that are set.
        maybe "state" => state: Map,
    }
}

document! {
    /// An event for the run's stream.
    EventEmit {
        /// Anything.
        maybe "data" => data: Raw,
        /// Its name.
        "name" => name: String,
    }
}

document! {
    /// How much this call of a hook may still use.
    Budget {
        /// Calls of operations.
        "host_calls" => host_calls: u64,
        /// Calls of `next`.
        "next" => next: u64,
    }
}

document! {
    /// A call of a model, without tools and without the hooks around it.
    GenerateRequest {
        /// At least one; the history of the run is not added.
        "messages" => messages: Vec<Message>,
        /// The name of the granted model; may be empty.
        maybe "model" => model: String,
        /// Settings for the provider, by the provider's own names.
        maybe "settings" => settings: Map,
        /// The system prompt.
        maybe "system" => system: Content,
    }
}

document! {
    /// A call of a tool of the agent.
    ToolRequest {
        /// The arguments.
        "args" => args: Map,
        /// Of the tool.
        "name" => name: String,
    }
}

document! {
    /// The real time.
    Clock {
        /// Nanoseconds since 1970-01-01 UTC.
        "unix_ns" => unix_ns: u64,
    }
}

document! {
    /// Asks for random bytes.
    RandomRequest {
        /// At most 65,536.
        "count" => count: u64,
    }
}

document! {
    /// Unpredictable random bytes.
    RandomBytes {
        /// The requested number of bytes.
        "bytes" => bytes: Vec<u8>,
    }
}

document! {
    /// Asks to wait.
    SleepRequest {
        /// How long, in milliseconds.
        "duration_ms" => duration_ms: u64,
    }
}
