//! What the scanner finds.

use agenthost::Schema;
use serde::Serialize;
use std::ops::Range;

/// What an attack tries, by which finds are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Schema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Sets the instructions of the agent aside, or gives it others.
    Override,
    /// Gives the model another role, or frees it of its rules.
    Persona,
    /// Pretends to be another part of the conversation: chat templates, headings of system prompts.
    RoleMarker,
    /// Pretends to be a call of a tool, or its result.
    ToolCall,
    /// Asks for the system prompt or for secrets, or tries to carry them out.
    Exfiltration,
    /// Wants the user not to know.
    Concealment,
    /// Text that people cannot see.
    HiddenText,
    /// A phrase of the operator.
    Custom,
    /// A link to where none may lead.
    Url,
}

impl Category {
    /// All of them.
    pub const ALL: [Category; 9] = [
        Category::Override,
        Category::Persona,
        Category::RoleMarker,
        Category::ToolCall,
        Category::Exfiltration,
        Category::Concealment,
        Category::HiddenText,
        Category::Custom,
        Category::Url,
    ];

    /// The name in the configuration, in events and in state fields.
    pub fn as_str(self) -> &'static str {
        match self {
            Category::Override => "override",
            Category::Persona => "persona",
            Category::RoleMarker => "role_marker",
            Category::ToolCall => "tool_call",
            Category::Exfiltration => "exfiltration",
            Category::Concealment => "concealment",
            Category::HiddenText => "hidden_text",
            Category::Custom => "custom",
            Category::Url => "url",
        }
    }

    /// What the model is told of it. The three do not tell an attacker which pattern it was.
    pub fn label(self) -> &'static str {
        match self {
            Category::Url => "disallowed URL",
            Category::HiddenText => "hidden text",
            _ => "prompt injection",
        }
    }
}

/// How sure it is that a find is an attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Occurs in honest texts too: documentation, mails, configuration files.
    Low,
    /// Is rare in honest texts.
    #[default]
    Medium,
    /// Has hardly another use.
    High,
}

impl Severity {
    /// All of them.
    pub const ALL: [Severity; 3] = [Severity::Low, Severity::Medium, Severity::High];

    /// The name in the configuration and in state fields.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
        }
    }
}

/// A passage of a text that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// What it tries.
    pub category: Category,
    /// How sure that is.
    pub severity: Severity,
}
