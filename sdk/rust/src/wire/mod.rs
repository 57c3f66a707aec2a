//! msgpack values: reading them in place, writing them in canonical form, and serde for a plugin's own types.
//!
//! A [`Value`] is a value inside a document and is read on demand. A [`Raw`] owns the bytes of one value, and a
//! [`Map`] is a map whose values are raw. [`to_raw`] and [`from_value`] convert types that implement serde's traits.

#[allow(missing_docs)] // only engines see it
mod append;
mod de;
mod depth;
mod error;
mod map;
mod raw;
#[allow(missing_docs)]
mod reader;
mod ser;
mod value;

pub(crate) use append::*;
pub use de::from_value;
pub(crate) use depth::is_too_deep;
pub use error::{DecodeError, EncodeError};
pub use map::Map;
pub use raw::Raw;
pub(crate) use reader::{text, Reader, Token};
pub use ser::to_raw;
pub use value::{Items, Pairs, Value};

/// Documents token by token, for engines that convert them to the values of a language and back.
#[doc(hidden)]
pub mod token {
    pub use super::append::*;
    pub use super::reader::{text, Malformed, Reader, Token};
}

/// The name under which a raw value passes through serde unchanged.
const RAW: &str = "$agenthost::Raw";

/// The maximum nesting of arrays and maps that serde reads and writes. Documents of a guest end at
/// 64, but values that the host passes on may be a little deeper.
const MAX_DEPTH: usize = 96;
