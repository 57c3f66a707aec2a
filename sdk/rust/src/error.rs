use crate::document::{Failure, Interrupt};
use crate::wire::Raw;
use crate::Errno;
use core::fmt;

/// The result of a hook or an operation.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An ordinary error, or a reason to return at once.
///
/// A hook returns it with `?`. A new error becomes the error of the hook, which other middleware may retry or
/// answer. An error from `next` passes on unchanged. Open questions and a closed frame reach the host by themselves.
///
/// Every type that implements [`std::error::Error`] converts to an error of the type `error`. For that reason `Error` does
/// not implement it itself.
pub struct Error(Box<Cause>);

pub(crate) enum Cause {
    /// An error document, and the number of the `next` that returned it; 0: none.
    Failed(Failure, u32),
    /// The host refused the call.
    Refused(Errno),
    /// Questions that have no answer yet.
    Interrupted(Vec<Interrupt>),
    /// An interrupt is pending, or the run is cancelled.
    Closed,
}

impl Error {
    /// An error with a type, a short name for programs, and a message for people.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Cause::Failed(Failure { kind: kind.into(), message: message.into(), ..Failure::default() }, 0).into()
    }

    /// Returns the error marked so that trying again may help.
    #[must_use]
    pub fn retryable(self) -> Self {
        self.map(|f| f.retryable = true)
    }

    /// Returns the error with data for programs.
    #[must_use]
    pub fn with_data(self, data: impl Into<Raw>) -> Self {
        self.map(|f| f.data = data.into())
    }

    /// From here on, a failure or refusal counts as a new error; open questions and a closed frame do not change.
    fn map(self, change: impl FnOnce(&mut Failure)) -> Self {
        let mut failure = match *self.0 {
            Cause::Failed(failure, _) => failure,
            Cause::Refused(errno) => refusal(errno),
            other => return other.into(),
        };
        change(&mut failure);
        Cause::Failed(failure, 0).into()
    }

    /// The error document of a failure or refusal; `None` for open questions and a closed frame, which must pass on.
    pub fn failure(&self) -> Option<Failure> {
        match &*self.0 {
            Cause::Failed(failure, _) => Some(failure.clone()),
            Cause::Refused(errno) => Some(refusal(*errno)),
            _ => None,
        }
    }

    /// The type of a failure, or the name of an errno; empty for open questions and a closed frame.
    pub fn kind(&self) -> String {
        self.failure().unwrap_or_default().kind
    }

    /// The message of a failure or refusal; empty for open questions and a closed frame.
    pub fn message(&self) -> String {
        self.failure().unwrap_or_default().message
    }

    /// Reports whether the error says that trying again may help.
    pub fn is_retryable(&self) -> bool {
        matches!(&*self.0, Cause::Failed(failure, _) if failure.retryable)
    }

    /// Why the host refused the call, if that is what happened.
    pub fn errno(&self) -> Option<Errno> {
        match *self.0 {
            Cause::Refused(errno) => Some(errno),
            _ => None,
        }
    }

    /// Reports whether an interrupt is pending or the run is cancelled. The hook must return; its result is ignored.
    pub fn is_closed(&self) -> bool {
        matches!(*self.0, Cause::Closed)
    }

    /// The questions that have no answer yet.
    pub fn interrupts(&self) -> &[Interrupt] {
        match &*self.0 {
            Cause::Interrupted(interrupts) => interrupts,
            _ => &[],
        }
    }

    pub(crate) fn into_cause(self) -> Cause {
        *self.0
    }
}

/// The error of a document that would nest too deeply: the host would take it as a fault.
pub(crate) fn too_deep() -> Error {
    Error::new("too_deep", "the document nests more than 64 arrays and maps; flatten the value or leave it out")
}

/// The document of a refusal.
pub(crate) fn refusal(errno: Errno) -> Failure {
    let message = match errno {
        Errno::ECONFLICT => "the entry has another version".to_owned(),
        _ => format!("the host refused the call: {errno}"),
    };
    Failure { kind: errno.to_string(), message, ..Failure::default() }
}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Self {
        Error(Box::new(cause))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Cause::Failed(failure, 0).into()
    }
}

impl From<Errno> for Error {
    fn from(errno: Errno) -> Self {
        Cause::Refused(errno).into()
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(e: E) -> Self {
        Error::new("error", e.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.failure() {
            Some(e) if e.kind.is_empty() => f.write_str(&e.message),
            Some(e) => write!(f, "{}: {}", e.kind, e.message),
            None if self.is_closed() => f.write_str("an interrupt is pending, or the run is cancelled"),
            None => f.write_str("interrupted"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Cause::Failed(failure, _) => failure.fmt(f),
            Cause::Refused(errno) => write!(f, "Refused({errno})"),
            Cause::Interrupted(interrupts) => f.debug_tuple("Interrupted").field(interrupts).finish(),
            Cause::Closed => f.write_str("Closed"),
        }
    }
}
