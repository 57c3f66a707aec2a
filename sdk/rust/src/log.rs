//! Lines for the host's log: a message, and values by name.
//!
//! ```
//! # use agenthost::{log, testing::Test, Context, Description, Plugin, Result, Update};
//! # #[derive(Default)]
//! # struct Cache;
//! # #[agenthost::plugin]
//! # impl Plugin for Cache {
//! #     fn describe() -> Description { Description::new("cache", "1.0.0") }
//! fn before_agent(&self, ctx: &Context) -> Result<Update> {
//!     log::info!(ctx, "cache hit", key = "tides at noon", n = 3);
//!     Ok(Update::new())
//! }
//! # }
//! let outcome = Test::<Cache>::new().before_agent();
//! assert_eq!(outcome.log, [(log::Level::Info, r#"cache hit key="tides at noon" n=3"#.into())]);
//! ```

use crate::Context;
use core::fmt::{Display, Write};

/// The importance of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details for finding a bug.
    Debug,
    /// Normal events.
    Info,
    /// Something unusual.
    Warn,
    /// Something is wrong.
    Error,
}

/// Writes a line: the message, and each value as `name=value`.
pub fn write(ctx: &Context, level: Level, message: &str, values: &[(&str, &dyn Display)]) {
    let mut line = message.to_owned();
    for (name, value) in values {
        line.push(' ');
        line.push_str(name);
        line.push('=');
        push_value(&mut line, &value.to_string());
    }
    ctx.log(level, &line);
}

/// A value of letters, digits and `_-./:` is written bare, any other as a JSON string.
fn push_value(line: &mut String, value: &str) {
    let is_bare = |b: u8| b.is_ascii_alphanumeric() || b"_-./:".contains(&b);
    if !value.is_empty() && value.bytes().all(is_bare) {
        line.push_str(value);
        return;
    }
    line.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => line.extend(['\\', c]),
            '\n' => line.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(line, "\\u{:04x}", c as u32); // a String takes everything
            }
            c => line.push(c),
        }
    }
    line.push('"');
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($level:ident, $ctx:expr, $message:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::log::write($ctx, $crate::log::Level::$level, ::core::convert::AsRef::<str>::as_ref(&$message),
            &[$((::core::stringify!($name), &$value as &dyn ::core::fmt::Display)),*])
    };
}

macro_rules! level {
    ($d:tt $name:ident $hidden:ident $level:ident $doc:literal) => {
        #[doc = $doc]
        #[macro_export]
        #[doc(hidden)]
        macro_rules! $hidden {
                                                            ($d($d t:tt)*) => { $d crate::__log!($level, $d($d t)*) };
                                                        }
        #[doc = $doc]
        pub use $hidden as $name;
    };
}
level!($ debug __debug Debug "Writes a line of level debug: `debug!(ctx, \"message\", name = value)`.");
level!($ info __info Info "Writes a line of level info: `info!(ctx, \"message\", name = value)`.");
level!($ warn __warn Warn "Writes a line of level warning: `warn!(ctx, \"message\", name = value)`.");
level!($ error __error Error "Writes a line of level error: `error!(ctx, \"message\", name = value)`.");
