use crate::action::Action;
use crate::strict::Object;
use agenthost::{Hook, Result};

/// A scripted hook. Its actions run in order.
pub struct HookScript {
    pub can_jump_to: Vec<String>,
    pub tools: Vec<String>,
    pub actions: Vec<Action>,
}

/// Reports whether a hook is a node of its own in the graph.
pub fn is_node(hook: Hook) -> bool {
    !matches!(hook, Hook::WrapModelCall | Hook::WrapToolCall)
}

impl HookScript {
    pub fn parse(hook: Hook, o: &Object<'_>) -> Result<Self> {
        o.need(&["do"])?;
        let can_jump_to = if is_node(hook) { o.texts("can_jump_to")?.unwrap_or_default() } else { Vec::new() };
        let tools = match hook {
            Hook::WrapToolCall => o.texts("tools")?,
            _ => None,
        };
        if tools.as_ref().is_some_and(Vec::is_empty) {
            return Err(o.fail("tools", "must name a tool, or be absent"));
        }
        let actions = o.objects("do")?.iter().map(|o| Action::parse(hook, o)).collect::<Result<_>>()?;
        o.done()?;
        Ok(HookScript { can_jump_to, tools: tools.unwrap_or_default(), actions })
    }

    /// The state fields that the hook reads, sorted.
    pub fn reads(&self) -> Vec<String> {
        distinct(self.actions.iter().flat_map(Action::reads).collect())
    }

    /// The state fields that the hook may update, sorted.
    pub fn writes(&self) -> Vec<String> {
        distinct(self.actions.iter().flat_map(Action::writes).collect())
    }
}

fn distinct(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}
