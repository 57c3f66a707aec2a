use core::fmt;
use serde::de::{Expected, Unexpected};

/// A value that cannot be read as the expected type. The error says where it is, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    path: String,
    reason: String,
}

impl DecodeError {
    /// Makes an error with a reason, such as `"a string is expected"`.
    pub fn new(reason: impl Into<String>) -> Self {
        DecodeError { path: String::new(), reason: reason.into() }
    }

    /// Puts a key in front of the path of the error.
    #[must_use]
    pub fn within(mut self, key: &str) -> Self {
        self.step(key);
        self
    }

    /// Puts an index in front of the path of the error.
    #[must_use]
    pub fn within_item(mut self, index: usize) -> Self {
        self.step(&format!("[{index}]"));
        self
    }

    fn step(&mut self, step: &str) {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, step);
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for DecodeError {}

impl serde::de::Error for DecodeError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        DecodeError::new(reason.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        DecodeError::new(format!("{} is not {expected}", shown(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }
}

/// The value that was found, but not the digits of a float: the code that writes floats is a tenth of a plugin.
fn shown(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(v) => format!("the boolean {v}"),
        Unexpected::Unsigned(v) => format!("the integer {v}"),
        Unexpected::Signed(v) => format!("the integer {v}"),
        Unexpected::Str(v) => format!("the string \"{v}\""),
        Unexpected::Float(_) => "a number with a point".to_owned(),
        Unexpected::Unit => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        _ => "the value".to_owned(),
    }
}

/// A value that has no msgpack form in the ABI, such as NaN or a map with keys other than strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError(String);

impl EncodeError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        EncodeError(reason.into())
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EncodeError {}

impl serde::ser::Error for EncodeError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        EncodeError(reason.to_string())
    }
}
