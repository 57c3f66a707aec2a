use super::codec::{document, names};

use crate::wire::Raw;

names! {
    /// How long an entry of the store lives.
    Scope {
        /// None of the three.
        Unknown,
        /// As long as the run.
        "run" => Run,
        /// As long as the thread.
        "thread" => Thread,
        /// Until it is deleted; all threads share it.
        "plugin" => Plugin,
    }
}

document! {
    /// Asks for an entry of the store.
    KVGet {
        /// Its key.
        "key" => key: String,
        /// Its scope.
        "scope" => scope: Scope,
    }
}

document! {
    /// An entry of the store.
    KVEntry {
        /// The value that was written.
        "value" => value: Raw,
        /// Never 0, and unique within a store.
        "version" => version: u64,
    }
}

document! {
    /// Writes an entry of the store.
    KVPut {
        /// Only if this is the entry's version; 0: only if there is no entry.
        maybe "if_version" => if_version: Option<u64>,
        /// Its key.
        "key" => key: String,
        /// Its scope.
        "scope" => scope: Scope,
        /// Anything.
        "value" => value: Raw,
    }
}

document! {
    /// The version of an entry that was written.
    KVVersion {
        /// The version.
        "version" => version: u64,
    }
}

document! {
    /// Removes an entry of the store, if there is one.
    KVDelete {
        /// Only if this is the entry's version.
        maybe "if_version" => if_version: Option<u64>,
        /// Its key.
        "key" => key: String,
        /// Its scope.
        "scope" => scope: Scope,
    }
}

document! {
    /// Lists entries of the store.
    KVList {
        /// Only keys after this one.
        maybe "after" => after: String,
        /// Maximum number of entries; 0: 100; at most 1,000.
        maybe "limit" => limit: u64,
        /// Only keys that begin with it.
        maybe "prefix" => prefix: String,
        /// The scope.
        "scope" => scope: Scope,
    }
}

document! {
    /// A part of the store's list.
    KVPage {
        /// The entries, in the byte order of their keys.
        "items" => items: Vec<KVItem>,
        /// More entries follow the last one.
        maybe "more" => more: bool,
    }
}

document! {
    /// An entry of a list, without its value.
    KVItem {
        /// Its key.
        "key" => key: String,
        /// Size of the encoded value in bytes.
        "size" => size: u64,
        /// Its version.
        "version" => version: u64,
    }
}
