use super::{Decode, Encode};
use crate::wire::{append_map, append_str, append_uint, DecodeError, Value};

/// Which messages a hook sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewSpec {
    /// None.
    #[default]
    None,
    /// At most this many of the last messages. The number is below 2⁶³; 0 means none.
    Last(u64),
    /// The changes since the last call of this hook in the thread whose update was applied. Only for node hooks.
    New,
    /// All.
    All,
}

impl Encode for ViewSpec {
    fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            ViewSpec::None | ViewSpec::Last(0) => append_str(out, "none"),
            ViewSpec::Last(k) => {
                append_map(out, 1);
                append_str(out, "last");
                append_uint(out, k.min(i64::MAX as u64));
            }
            ViewSpec::New => append_str(out, "new"),
            ViewSpec::All => append_str(out, "all"),
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self, ViewSpec::None | ViewSpec::Last(0))
    }
}

impl Decode for ViewSpec {
    fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
        let last = || value.get("last").filter(|_| value.len() == 1)?.as_u64();
        match (value.as_str(), last()) {
            (Some("none"), _) | (_, Some(0)) => Ok(ViewSpec::None),
            (Some("new"), _) => Ok(ViewSpec::New),
            (Some("all"), _) => Ok(ViewSpec::All),
            (_, Some(k)) if k <= i64::MAX as u64 => Ok(ViewSpec::Last(k)),
            _ => Err(DecodeError::new(r#""none", "new", "all" or {"last": K} is expected"#)),
        }
    }
}
