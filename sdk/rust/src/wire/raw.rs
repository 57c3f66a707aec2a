use super::*;
use serde::Serialize;

/// The bytes of one msgpack value. The empty `Raw` means that there is no value; it is written as nil where one is required.
///
/// Booleans, numbers and strings become a `Raw` by `into()`; types of the plugin by [`to_raw`].
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Raw(Vec<u8>);

impl Raw {
    /// There is no value.
    pub const NONE: Raw = Raw(Vec::new());

    /// Takes the bytes of exactly one value.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Raw, DecodeError> {
        let mut r = Reader::new(&bytes);
        r.skip()?;
        match r.rest().len() {
            0 => Ok(Raw(bytes)),
            n => Err(DecodeError::new(format!("{n} bytes after the value"))),
        }
    }

    pub(crate) fn from_bytes_unchecked(bytes: Vec<u8>) -> Raw {
        Raw(bytes)
    }

    /// Nil.
    pub fn nil() -> Raw {
        made(append_nil)
    }

    /// A bin.
    pub fn bin(bytes: &[u8]) -> Raw {
        made(|out| append_bin(out, bytes))
    }

    /// An array of these values.
    pub fn array<T: Into<Raw>>(items: impl IntoIterator<Item = T>) -> Raw {
        let items: Vec<Raw> = items.into_iter().map(Into::into).collect();
        made(|out| {
            append_array(out, items.len());
            for item in &items {
                item.append(out);
            }
        })
    }

    /// Reports whether there is no value at all. Nil is a value.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The value for reading; nil if there is none.
    pub fn value(&self) -> Value<'_> {
        Value::new(if self.0.is_empty() { &[0xc0] } else { &self.0 })
    }

    /// The bytes; none if there is no value.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn append(&self, out: &mut Vec<u8>) {
        if self.0.is_empty() {
            append_nil(out);
        } else {
            out.extend_from_slice(&self.0);
        }
    }
}

fn made(write: impl FnOnce(&mut Vec<u8>)) -> Raw {
    let mut out = Vec::new();
    write(&mut out);
    Raw(out)
}

impl core::fmt::Debug for Raw {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.is_none() {
            return f.write_str("<none>");
        }
        self.value().fmt(f)
    }
}

impl From<Value<'_>> for Raw {
    fn from(v: Value<'_>) -> Raw {
        v.to_raw()
    }
}

impl From<bool> for Raw {
    fn from(v: bool) -> Raw {
        made(|out| append_bool(out, v))
    }
}

macro_rules! integers {
    ($append:ident: $($t:ty as $wide:ty),*) => {$(
        impl From<$t> for Raw {
            fn from(v: $t) -> Raw {
                made(|out| $append(out, v as $wide))
            }
        }
    )*};
}
integers!(append_int: i8 as i64, i16 as i64, i32 as i64, i64 as i64, isize as i64);
integers!(append_uint: u8 as u64, u16 as u64, u32 as u64, u64 as u64, usize as u64);

/// A float that is not finite has no msgpack form in the ABI and becomes nil, as in JSON.
impl From<f64> for Raw {
    fn from(v: f64) -> Raw {
        if v.is_finite() {
            made(|out| append_f64(out, v))
        } else {
            Raw::nil()
        }
    }
}

impl From<&str> for Raw {
    fn from(v: &str) -> Raw {
        made(|out| append_str(out, v))
    }
}

impl From<String> for Raw {
    fn from(v: String) -> Raw {
        v.as_str().into()
    }
}

impl From<&String> for Raw {
    fn from(v: &String) -> Raw {
        v.as_str().into()
    }
}

impl<T: Into<Raw>> From<Vec<T>> for Raw {
    fn from(items: Vec<T>) -> Raw {
        Raw::array(items)
    }
}

impl<T: Into<Raw>> From<Option<T>> for Raw {
    fn from(v: Option<T>) -> Raw {
        v.map_or_else(Raw::nil, Into::into)
    }
}

impl Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

/// The bytes of a value, in a form that serde's data model can carry.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RAW, &Bytes(self.bytes()))
    }
}

impl<'de> serde::Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Raw;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("a msgpack value")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Raw, E> {
                Ok(Raw(bytes.to_vec()))
            }
        }
        deserializer.deserialize_newtype_struct(RAW, Visitor)
    }
}
