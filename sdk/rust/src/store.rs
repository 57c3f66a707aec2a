use crate::document::{Decode, Encode, KVDelete, KVEntry, KVGet, KVItem, KVList, KVPage, KVPut, KVVersion, Scope};
use crate::wire::Raw;
use crate::{Context, Errno, Result};

/// What the plugin keeps in one scope. Unlike an update it changes at once, and stays so if the hook fails or runs again.
///
/// A write or deletion on the condition of a version fails with [`Errno::ECONFLICT`] if the entry has another one: read it
/// again, and decide again.
pub struct Store<'a> {
    ctx: &'a Context,
    scope: Scope,
}

impl<'a> Store<'a> {
    pub(crate) fn new(ctx: &'a Context, scope: Scope) -> Self {
        Store { ctx, scope }
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

    /// Writes a value, whatever there was, and returns its version.
    pub fn put(&self, key: &str, value: impl Into<Raw>) -> Result<u64> {
        self.write(key, value.into(), None)
    }

    /// Writes a value if the entry still has this version, 0: if there is none, and returns the new version.
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

    /// At most `limit` entries, without their values, whose keys begin with `prefix` and come after another, in the order of
    /// their bytes; and whether there are more. An empty `after` begins at the first; a limit of 0 is 100.
    pub fn list(&self, prefix: &str, after: &str, limit: u64) -> Result<(Vec<KVItem>, bool)> {
        let query = KVList { after: after.to_owned(), limit, prefix: prefix.to_owned(), scope: self.scope };
        let page = KVPage::from_document(&self.ctx.host_call("kv.list", &query.to_document())?)?;
        Ok((page.items, page.more))
    }
}
