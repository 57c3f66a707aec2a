use crate::Context;
use core::cell::OnceCell;
use core::fmt;

/// The document that `next` returned. It stays with the host until the hook looks at it or makes another call of the host, so
/// a hook that only passes it on pays nothing.
pub(crate) struct Reply<'c> {
    ctx: &'c Context,
    next: u32, // number of the call of next that returned it
    document: OnceCell<Vec<u8>>,
}

impl<'c> Reply<'c> {
    pub fn unread(ctx: &'c Context, next: u32) -> Self {
        Reply { ctx, next, document: OnceCell::new() }
    }

    pub fn bytes(&self) -> &[u8] {
        self.document.get_or_init(|| self.ctx.take_reply(self.next))
    }
}

impl Drop for Reply<'_> {
    fn drop(&mut self) {
        if self.document.get().is_none() {
            self.ctx.drop_reply(self.next);
        }
    }
}

impl Clone for Reply<'_> {
    fn clone(&self) -> Self {
        Reply { ctx: self.ctx, next: self.next, document: OnceCell::from(self.bytes().to_vec()) }
    }
}

impl fmt::Debug for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::Value::new(self.bytes()).fmt(f)
    }
}
