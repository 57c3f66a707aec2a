//! A middleware that a configuration describes as data.

use crate::action::Action;
use crate::behavior::{self, Tool};
use crate::hook::HookScript;
use crate::strict::Object;
use crate::text::mistake;
use agenthost::{FieldSpec, Hook, Result, Value};

/// The script that this plugin performs.
pub struct Script {
    pub fields: Vec<FieldSpec>,
    pub dynamic: Vec<Tool>,
    hooks: Vec<(Hook, HookScript)>,
}

impl Script {
    pub fn parse(value: Value<'_>, path: &str) -> Result<Self> {
        let o = Object::open(value, path)?;
        o.need(&["type", "name", "hooks"])?;
        o.one_of("type", &["probe"])?;
        o.text("name")?;
        let fields = o.object("state")?.map(|o| fields(&o)).transpose()?.unwrap_or_default();
        behavior::tools(&o, "tools")?; // the host adds these to the agent
        let mut dynamic = behavior::tools(&o, "dynamic_tools")?;
        for tool in &mut dynamic {
            tool.spec.dynamic = true;
        }
        let mut hooks = Vec::new();
        if let Some(all) = o.object("hooks")? {
            for hook in Hook::ALL {
                if let Some(o) = all.object(hook.as_str())? {
                    hooks.push((hook, HookScript::parse(hook, &o)?));
                }
            }
            all.done()?;
        }
        o.done()?;
        Ok(Script { fields, dynamic, hooks })
    }

    /// A hook of the script.
    pub fn hook(&self, hook: Hook) -> Result<&[Action]> {
        match self.scripted(hook) {
            Some(script) => Ok(&script.actions),
            None => Err(mistake(format!("the script has no hook {}", hook.as_str()))),
        }
    }

    /// A hook of the script, if it has it.
    pub fn scripted(&self, hook: Hook) -> Option<&HookScript> {
        self.hooks.iter().find(|(of, _)| *of == hook).map(|(_, script)| script)
    }
}

fn fields(o: &Object<'_>) -> Result<Vec<FieldSpec>> {
    let mut fields = Vec::new();
    for name in o.keys() {
        let Some(field) = o.object(name)? else { continue };
        let visibility = field.one_of("visibility", &["public", "omit_input", "omit_output", "private"])?;
        fields.push(FieldSpec {
            hide_input: visibility == "omit_input" || visibility == "private",
            hide_output: visibility == "omit_output" || visibility == "private",
            lifetime: match field.one_of("lifetime", &["thread", "ephemeral", "untracked"])?.as_str() {
                "ephemeral" => "step",
                "untracked" => "run",
                _ => "thread",
            }
            .to_owned(),
            name: name.to_owned(),
            reducer: field.one_of("reducer", &["last", "add", "append"])?,
            schema: field.map("schema")?.map(Into::into).unwrap_or_default(),
        });
        field.done()?;
    }
    Ok(fields)
}
