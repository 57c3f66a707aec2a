//! How the probe describes itself.

use crate::script::Script;
use crate::strict::Object;
use agenthost::{Description, Hook, HookSpec, Map, Raw, Result, ViewSpec};

/// Reads the configuration: the script, and the fields that any part of the agent declares.
pub fn read(config: &Raw) -> Result<(Script, Description)> {
    let o = Object::open(config.value(), "config")?;
    o.need(&["fields", "script"])?;
    let declared = o.texts("fields")?.unwrap_or_default();
    let script = o.raw("script");
    o.done()?;
    let script = Script::parse(script.value(), "config.script")?;
    let description = describe(&script, &declared);
    Ok((script, description))
}

/// Lists only those fields of the script that some part of the agent declares. Reading any other
/// field is not an error; updating one is an error of the run.
fn describe(script: &Script, declared: &[String]) -> Description {
    let mut d = Description::new("probe", "1.0.0");
    d.config_schema = Map::new().with("type", "object").into();
    d.fields = script.fields.clone();
    d.tools = script.dynamic.iter().map(|t| t.spec.clone()).collect();
    for hook in Hook::ALL {
        let Some(scripted) = script.scripted(hook) else { continue };
        let is_declared = |field: &String| declared.contains(field);
        let is_own = |field: &String| script.fields.iter().any(|f| f.name == *field);
        *d.hooks.spec_mut(hook) = Some(HookSpec {
            can_jump_to: scripted.can_jump_to.clone(),
            messages: ViewSpec::Last(1),
            reads: scripted.reads().into_iter().filter(is_declared).collect(),
            tools: scripted.tools.clone(),
            writes: scripted.writes().into_iter().filter(|f| is_declared(f) && !is_own(f)).collect(),
            ..HookSpec::default()
        });
    }
    d
}
