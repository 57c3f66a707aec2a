//! Reading documents in which every key must be known.

use agenthost::{Error, Map, Raw, Result, Value};
use std::cell::Cell;

/// One object of a document, read key by key.
pub struct Object<'a> {
    path: String,
    keys: Vec<(&'a str, Value<'a>, Cell<bool>)>,
}

fn fail(path: &str, reason: &str) -> Error {
    Error::new("error", format!("{path}: {reason}"))
}

impl<'a> Object<'a> {
    pub fn open(value: Value<'a>, path: impl Into<String>) -> Result<Self> {
        let path = path.into();
        if !value.is_map() {
            return Err(fail(&path, "must be an object"));
        }
        let keys = value.pairs().map(|(key, value)| (key, value, Cell::new(false))).collect();
        Ok(Object { path, keys })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns an error that names the keys that were not read.
    pub fn done(&self) -> Result<()> {
        match self.keys.iter().find(|(_, _, read)| !read.get()) {
            Some((key, _, _)) => Err(fail(&self.path, &format!("the key \"{key}\" is unknown"))),
            None => Ok(()),
        }
    }

    /// The error for an invalid value of a key.
    pub fn fail(&self, key: &str, reason: &str) -> Error {
        fail(&format!("{}.{key}", self.path), reason)
    }

    /// The keys in their order. They count as read.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.keys.iter().map(|(key, _, read)| {
            read.set(true);
            *key
        })
    }

    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|(k, _, _)| *k == key)
    }

    pub fn need(&self, keys: &[&str]) -> Result<()> {
        match keys.iter().find(|key| !self.has(key)) {
            Some(key) => Err(fail(&self.path, &format!("the key \"{key}\" is missing"))),
            None => Ok(()),
        }
    }

    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let (_, value, read) = self.keys.iter().find(|(k, _, _)| *k == key)?;
        read.set(true);
        Some(*value)
    }

    /// A copy of a value; none if it is absent.
    pub fn raw(&self, key: &str) -> Raw {
        self.get(key).map(Raw::from).unwrap_or_default()
    }

    fn read<T>(&self, key: &str, what: &str, read: impl FnOnce(Value<'a>) -> Option<T>) -> Result<Option<T>> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.fail(key, what)),
        }
    }

    /// A string; empty if it is absent.
    pub fn text(&self, key: &str) -> Result<String> {
        self.read(key, "must be a string", |v| v.as_str()).map(|v| v.unwrap_or_default().to_owned())
    }

    /// A string; empty if it is absent or null.
    pub fn text_or_null(&self, key: &str) -> Result<String> {
        match self.get(key) {
            Some(value) if value.is_nil() => Ok(String::new()),
            _ => self.text(key),
        }
    }

    /// A string that must be one of these; empty if it is absent.
    pub fn one_of(&self, key: &str, allowed: &[&str]) -> Result<String> {
        let text = self.text(key)?;
        if self.has(key) && !allowed.contains(&text.as_str()) {
            let reason = format!("is \"{text}\"; it must be one of \"{}\"", allowed.join("\", \""));
            return Err(self.fail(key, &reason));
        }
        Ok(text)
    }

    /// A boolean; false if it is absent.
    pub fn bool(&self, key: &str) -> Result<bool> {
        Ok(self.read(key, "must be true or false", |v| v.as_bool())?.unwrap_or_default())
    }

    /// An integer of at least `least`; 0 if it is absent.
    pub fn int(&self, key: &str, least: i64) -> Result<i64> {
        let what = format!("must be an integer of at least {least}");
        Ok(self.read(key, &what, |v| v.as_i64().filter(|n| *n >= least))?.unwrap_or_default())
    }

    /// The elements of a list; none if it is absent.
    pub fn items(&self, key: &str) -> Result<Vec<Value<'a>>> {
        let items = |v: Value<'a>| v.is_array().then(|| v.items().collect());
        Ok(self.read(key, "must be a list", items)?.unwrap_or_default())
    }

    /// A list of strings, if it is present.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<String>>> {
        if !self.has(key) {
            return Ok(None);
        }
        let mut texts = Vec::new();
        for (i, item) in self.items(key)?.into_iter().enumerate() {
            let text = item.as_str().ok_or_else(|| self.fail(&format!("{key}[{i}]"), "must be a string"))?;
            texts.push(text.to_owned());
        }
        Ok(Some(texts))
    }

    /// The object under a key, if it is present.
    pub fn object(&self, key: &str) -> Result<Option<Object<'a>>> {
        self.get(key).map(|value| Object::open(value, format!("{}.{key}", self.path))).transpose()
    }

    /// An object whose keys are data, if it is present.
    pub fn map(&self, key: &str) -> Result<Option<Map>> {
        self.get(key).map(|value| Map::try_from(value).map_err(|e| self.fail(key, &e.to_string()))).transpose()
    }

    /// A list of objects; none if it is absent.
    pub fn objects(&self, key: &str) -> Result<Vec<Object<'a>>> {
        let items = self.items(key)?.into_iter().enumerate();
        items.map(|(i, item)| Object::open(item, format!("{}.{key}[{i}]", self.path))).collect()
    }
}
