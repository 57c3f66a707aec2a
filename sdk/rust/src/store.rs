use crate::document::{Decode, Encode, KVDelete, KVEntry, KVGet, KVItem, KVList, KVPage, KVPut, KVVersion, Scope};
use crate::wire::Raw;
use crate::{Context, Entry, Errno, Result};

/// The plugin's entries in one scope. Unlike an update, a write takes effect at once and stays if the hook fails or reruns.
///
/// A conditional write or deletion fails with [`Errno::ECONFLICT`] if the entry has another
/// version. Read the entry again, and decide again.
pub struct Store<'a> {
    ctx: &'a Context,
    scope: Scope,
}

impl<'a> Store<'a> {
    pub(crate) fn new(ctx: &'a Context, scope: Scope) -> Self {
        Store { ctx, scope }
    }

    /// The entry of a key, with values of a type.
    pub fn entry<T>(&self, key: impl Into<String>) -> Entry<'a, T> {
        Entry::new(Store { ..*self }, key.into())
    }

    /// The value of a key and its version, if there is an entry.
    pub fn get(&self, key: &str) -> Result<Option<(Raw, u64)>> {
        let query = KVGet { key: key.to_owned(), scope: self.scope };
        match self.ctx.host_call("kv.get", &query.to_document()) {
            Err(e) if e.errno() == Some(Errno::ENOENT) => Ok(None),
            reply => {
                let entry = KVEntry::from_document(&reply?)?;
                Ok(Some((entry.value, entry.version)))
            }
        }
    }

    /// Writes a value unconditionally, and returns its version.
    pub fn put(&self, key: &str, value: impl Into<Raw>) -> Result<u64> {
        self.write(key, value.into(), None)
    }

    /// Writes a value if the entry still has this version, and returns the new one. 0 means no entry.
    pub fn put_if(&self, key: &str, value: impl Into<Raw>, version: u64) -> Result<u64> {
        self.write(key, value.into(), Some(version))
    }

    fn write(&self, key: &str, value: Raw, if_version: Option<u64>) -> Result<u64> {
        let entry = KVPut { if_version, key: key.to_owned(), scope: self.scope, value };
        let reply = self.ctx.host_call("kv.put", &entry.to_document())?;
        Ok(KVVersion::from_document(&reply)?.version)
    }

    /// Removes an entry, if there is one.
    pub fn delete(&self, key: &str) -> Result<()> {
        self.remove(key, None)
    }

    /// Removes an entry if it still has this version.
    pub fn delete_if(&self, key: &str, version: u64) -> Result<()> {
        self.remove(key, Some(version))
    }

    fn remove(&self, key: &str, if_version: Option<u64>) -> Result<()> {
        let entry = KVDelete { if_version, key: key.to_owned(), scope: self.scope };
        self.ctx.host_call("kv.delete", &entry.to_document()).map(drop)
    }

    /// At most `limit` entries, without their values, and whether there are more. Their keys begin with `prefix` and
    /// come after the key `after`, in byte order. An empty `after` starts at the first key; a limit of 0 means 100.
    pub fn list(&self, prefix: &str, after: &str, limit: u64) -> Result<(Vec<KVItem>, bool)> {
        let query = KVList { after: after.to_owned(), limit, prefix: prefix.to_owned(), scope: self.scope };
        let page = KVPage::from_document(&self.ctx.host_call("kv.list", &query.to_document())?)?;
        Ok((page.items, page.more))
    }
}
