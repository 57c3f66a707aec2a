use core::fmt;

/// Why the host refused a call before it had an effect. An errno without a name here is also a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub(crate) i32);

impl Errno {
    /// The call makes no sense here.
    pub const EINVAL: Errno = Errno(-1);
    /// There is no such operation, model, tool or key.
    pub const ENOENT: Errno = Errno(-2);
    /// The reply exceeds its limit. The call itself has run.
    pub const ETOOBIG: Errno = Errno(-3);
    /// Not granted, or not declared.
    pub const EDENIED: Errno = Errno(-4);
    /// Known, but not available in this hook or host.
    pub const ENOTSUP: Errno = Errno(-5);
    /// No instance is free to run it.
    pub const EBUSY: Errno = Errno(-6);
    /// Too many calls, or a quota is used up.
    pub const ELIMIT: Errno = Errno(-7);
    /// The entry has another version.
    pub const ECONFLICT: Errno = Errno(-8);

    /// The status of the ABI, a negative number.
    pub fn status(self) -> i32 {
        self.0
    }

    fn name(self) -> Option<&'static str> {
        Some(match self {
            Errno::EINVAL => "EINVAL",
            Errno::ENOENT => "ENOENT",
            Errno::ETOOBIG => "ETOOBIG",
            Errno::EDENIED => "EDENIED",
            Errno::ENOTSUP => "ENOTSUP",
            Errno::EBUSY => "EBUSY",
            Errno::ELIMIT => "ELIMIT",
            Errno::ECONFLICT => "ECONFLICT",
            _ => return None,
        })
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "status {}", self.0),
        }
    }
}
