//! Performing an export: calling the plugin's method and encoding its result as a document.

use crate::document::{Encode, HookResult};
use crate::error::{refusal, too_deep, Cause};
use crate::wire::{is_too_deep, Value};
use crate::{Context, Plugin, Result};

/// Configures a plugin. The document, if there is one, is the one that the export writes.
pub(crate) fn configure<P: Plugin>(config: Value<'_>) -> (Option<P>, Option<Vec<u8>>) {
    let made = config.to().map_err(|e| e.within("config").into()).and_then(P::new);
    match made {
        Ok(plugin) => {
            let narrowed = plugin.narrow(crate::plugin::description::<P>());
            (Some(plugin), narrowed.map(|d| d.to_document()))
        }
        Err(e) => {
            let error = Some(e.failure().unwrap_or_default());
            (None, Some(HookResult { error, ..HookResult::default() }.to_document()))
        }
    }
}

/// Appends the result document of a hook, and reports whether there is one.
///
/// An error that came from `next` and is returned unchanged is not written, because the host passes
/// it on itself. In a closed frame, the result of the hook is ignored.
pub(crate) fn finish(ctx: &Context, result: Result<Option<HookResult>>, out: &mut Vec<u8>) -> bool {
    if ctx.is_closed() {
        return false;
    }
    let result = match result {
        Ok(None) => return false,
        Ok(Some(result)) => result,
        Err(e) => match e.into_cause() {
            Cause::Closed => return false,
            Cause::Failed(_, next) if ctx.passes_on(next) => return false,
            Cause::Failed(failure, _) => HookResult { error: Some(failure), ..HookResult::default() },
            Cause::Refused(errno) => HookResult { error: Some(refusal(errno)), ..HookResult::default() },
            Cause::Interrupted(interrupts) => HookResult { interrupts, ..HookResult::default() },
        },
    };
    result.encode(out);
    if is_too_deep(out) {
        out.clear();
        HookResult { error: too_deep().failure(), ..HookResult::default() }.encode(out);
    }
    out[..] != [0x80] // an empty map means no result
}
