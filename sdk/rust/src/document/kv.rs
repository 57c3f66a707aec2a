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
        /// As it was written.
        "value" => value: Raw,
        /// Never 0, and never given twice in a store.
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
    /// Asks which entries the store has.
    KVList {
        /// Only keys behind this one.
        maybe "after" => after: String,
        /// How many at the most; 0: 100, and never more than 1,000.
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
        /// Ascending by the bytes of their keys.
        "items" => items: Vec<KVItem>,
        /// There are more behind the last.
        maybe "more" => more: bool,
    }
}

document! {
    /// An entry of a list, without its value.
    KVItem {
        /// Its key.
        "key" => key: String,
        /// Of the encoded value, in bytes.
        "size" => size: u64,
        /// Its version.
        "version" => version: u64,
    }
}
