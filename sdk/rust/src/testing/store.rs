use super::Reply;
use crate::document::{Decode, KVDelete, KVEntry, KVGet, KVItem, KVList, KVPage, KVPut, KVVersion};
use crate::{Errno, Raw};
use std::collections::BTreeMap;

/// The stores of all scopes, in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    entries: BTreeMap<(&'static str, String), (Raw, u64)>,
    last_version: u64,
}

impl Store {
    pub(super) fn put(&mut self, scope: &'static str, key: String, value: Raw) -> u64 {
        self.last_version += 1;
        self.entries.insert((scope, key), (value, self.last_version));
        self.last_version
    }

    pub(super) fn value(&self, scope: &'static str, key: &str) -> Option<Raw> {
        self.entries.get(&(scope, key.to_owned())).map(|(value, _)| value.clone())
    }

    /// Performs an operation of `kv`; `None` if it is another operation.
    pub(super) fn perform(&mut self, op: &str, document: &[u8]) -> Option<Reply> {
        let done = match op {
            "kv.get" => KVGet::from_document(document).map(|q| self.get(q)),
            "kv.put" => KVPut::from_document(document).map(|q| self.write(q)),
            "kv.delete" => KVDelete::from_document(document).map(|q| self.delete(q)),
            "kv.list" => KVList::from_document(document).map(|q| self.list(&q)),
            _ => return None,
        };
        Some(done.unwrap_or_else(|_| Reply::refused(Errno::EINVAL)))
    }

    fn get(&self, query: KVGet) -> Reply {
        match self.entries.get(&(query.scope.as_str(), query.key)) {
            Some((value, version)) => Reply::document(&KVEntry { value: value.clone(), version: *version }),
            None => Reply::refused(Errno::ENOENT),
        }
    }

    fn is_at(&self, scope: &'static str, key: &str, version: Option<u64>) -> bool {
        let now = self.entries.get(&(scope, key.to_owned())).map_or(0, |(_, version)| *version);
        version.is_none_or(|expected| expected == now)
    }

    fn write(&mut self, query: KVPut) -> Reply {
        let scope = query.scope.as_str();
        if !self.is_at(scope, &query.key, query.if_version) {
            return Reply::refused(Errno::ECONFLICT);
        }
        Reply::document(&KVVersion { version: self.put(scope, query.key, query.value) })
    }

    fn delete(&mut self, query: KVDelete) -> Reply {
        let scope = query.scope.as_str();
        if !self.is_at(scope, &query.key, query.if_version) {
            return Reply::refused(Errno::ECONFLICT);
        }
        self.entries.remove(&(scope, query.key));
        Reply::nothing()
    }

    fn list(&self, query: &KVList) -> Reply {
        let limit = if query.limit == 0 { 100 } else { query.limit.min(1000) };
        let mut found = self.entries.iter().filter(|((scope, key), _)| {
            *scope == query.scope.as_str() && key.starts_with(&query.prefix) && *key > query.after
        });
        let items = found.by_ref().take(limit as usize);
        let items = items.map(|((_, key), (value, version))| KVItem {
            key: key.clone(),
            size: value.bytes().len() as u64,
            version: *version,
        });
        let items = items.collect();
        Reply::document(&KVPage { items, more: found.next().is_some() })
    }
}
