use crate::log::Level;

/// The calls that a plugin can make to its host. In a module, the ABI's imports implement it; in a test, a fake.
pub(crate) trait Host {
    /// The input document of this call. It is fetched at the first look.
    fn input(&self) -> &[u8];
    /// Calls the inner layers. Returns the length of the reply.
    fn next(&self, change: &[u8]) -> (Status, usize);
    /// Calls an operation. Returns the length of the reply.
    fn host_call(&self, op: &str, document: &[u8]) -> (Status, usize);
    /// Reads the reply of the last call of one of these two, which must not have been read yet.
    fn read_reply(&self, length: usize) -> Vec<u8>;
    /// Writes a line to the host's log.
    fn log(&self, level: Level, line: &str);
}

/// How `next` or an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status(pub i32);

impl Status {
    pub const OK: Status = Status(0);
    pub const FAILED: Status = Status(-20);
    pub const INTERRUPTED: Status = Status(-21);
    pub const CANCELLED: Status = Status(-22);

    /// Reports whether the frame is closed.
    pub fn closes(self) -> bool {
        self == Status::INTERRUPTED || self == Status::CANCELLED
    }
}
