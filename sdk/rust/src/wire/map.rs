use super::*;
use serde::Serialize;

/// A map with unique string keys in ascending order of their bytes. Its values are raw.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Map(Vec<(String, Raw)>);

impl Map {
    /// The empty map.
    pub const fn new() -> Self {
        Map(Vec::new())
    }

    /// Returns the map with this key set.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Raw>) -> Self {
        self.insert(key.into(), value.into());
        self
    }

    /// Sets a key.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Raw>) {
        self.insert(key.into(), value.into());
    }

    fn insert(&mut self, key: String, value: Raw) {
        match self.find(&key) {
            Ok(i) => self.0[i].1 = value,
            Err(i) => self.0.insert(i, (key, value)),
        }
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        if self.0.last().is_none_or(|(last, _)| last.as_str() < key) {
            return Err(self.0.len()); // the usual case: keys arrive in order
        }
        self.0.binary_search_by(|(k, _)| k.as_str().cmp(key))
    }

    /// Sets the keys of another map.
    pub fn merge(&mut self, other: &Map) {
        for (key, value) in &other.0 {
            self.insert(key.clone(), value.clone());
        }
    }

    /// Removes a key, and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Raw> {
        self.find(key).ok().map(|i| self.0.remove(i).1)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Value<'_>> {
        self.find(key).ok().map(|i| self.0[i].1.value())
    }

    /// The pairs, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Raw)> + Clone {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reports whether the map has no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn append(&self, out: &mut Vec<u8>) {
        append_map(out, self.0.len());
        for (key, value) in &self.0 {
            append_str(out, key);
            value.append(out);
        }
    }
}

impl core::fmt::Debug for Map {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, V: Into<Raw>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        pairs.into_iter().fold(Map::new(), |map, (key, value)| map.with(key, value))
    }
}

impl<K: Into<String>, V: Into<Raw>, const N: usize> From<[(K, V); N]> for Map {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl From<Map> for Raw {
    fn from(map: Map) -> Raw {
        (&map).into()
    }
}

impl From<&Map> for Raw {
    fn from(map: &Map) -> Raw {
        let mut out = Vec::new();
        map.append(&mut out);
        Raw::from_bytes_unchecked(out)
    }
}

/// A copy of a map. A duplicate key is an error.
impl TryFrom<Value<'_>> for Map {
    type Error = DecodeError;

    fn try_from(value: Value<'_>) -> Result<Self, DecodeError> {
        let mut r = value.reader();
        let Token::Map(n) = r.token()? else {
            return Err(DecodeError::new("a map is expected"));
        };
        let mut map = Map(Vec::with_capacity(n.min(r.rest().len() / 2)));
        for _ in 0..n {
            let key = text(r.key()?)?;
            match map.find(key) {
                Ok(_) => return Err(DecodeError::new(format!("the key \"{key}\" appears twice in one map"))),
                Err(i) => map.0.insert(i, (key.to_owned(), Raw::from_bytes_unchecked(r.value()?.to_vec()))),
            }
        }
        Ok(map)
    }
}

impl Serialize for Map {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Raw::from(self).serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Map {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        Map::try_from(raw.value()).map_err(serde::de::Error::custom)
    }
}
