use super::{text, DecodeError, Raw, Reader, Token};
use serde::de::DeserializeOwned;

/// A value inside a document. It is decoded only on demand, and only the requested parts.
///
/// Methods whose names begin with `as_` return `None` if the value is something else.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    // The value is at the start of these bytes. Its end is found only when needed.
    bytes: &'a [u8],
}

impl<'a> Value<'a> {
    /// The value at the start of these bytes. They need not be valid: invalid parts read as absent.
    pub fn new(bytes: &'a [u8]) -> Self {
        Value { bytes }
    }

    /// The bytes of this value alone; none if they are malformed.
    pub fn bytes(&self) -> &'a [u8] {
        self.reader().value().unwrap_or_default()
    }

    pub(crate) fn reader(&self) -> Reader<'a> {
        Reader::new(self.bytes)
    }

    fn token(&self) -> Option<Token> {
        self.reader().token().ok()
    }

    /// Reports whether the value is nil.
    pub fn is_nil(&self) -> bool {
        self.token() == Some(Token::Nil)
    }

    /// Reports whether the value is a map.
    pub fn is_map(&self) -> bool {
        matches!(self.token(), Some(Token::Map(_)))
    }

    /// Reports whether the value is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.token(), Some(Token::Array(_)))
    }

    /// The boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.token()? {
            Token::Bool(v) => Some(v),
            _ => None,
        }
    }

    /// The integer, if an `i64` can hold it.
    pub fn as_i64(&self) -> Option<i64> {
        match self.token()? {
            Token::Uint(v) => v.try_into().ok(),
            Token::Int(v) => Some(v),
            _ => None,
        }
    }

    /// The integer, if it is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self.token()? {
            Token::Uint(v) => Some(v),
            _ => None,
        }
    }

    /// The number, which may be an integer.
    pub fn as_f64(&self) -> Option<f64> {
        match self.token()? {
            Token::Uint(v) => Some(v as f64),
            Token::Int(v) => Some(v as f64),
            Token::F32(v) => Some(v.into()),
            Token::F64(v) => Some(v),
            _ => None,
        }
    }

    /// The string.
    pub fn as_str(&self) -> Option<&'a str> {
        text(self.reader().key().ok()?).ok()
    }

    /// The bytes of a bin.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        let mut r = self.reader();
        match r.token().ok()? {
            Token::Bin(n) => r.take(n).ok(),
            _ => None,
        }
    }

    /// The number of elements of an array, or of pairs of a map; 0 for anything else.
    pub fn len(&self) -> usize {
        match self.token() {
            Some(Token::Array(n) | Token::Map(n)) => n,
            _ => 0,
        }
    }

    /// Reports whether the value is an array or map without elements, or neither.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key of this map.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let mut r = self.reader();
        let Token::Map(n) = r.token().ok()? else {
            return None;
        };
        for _ in 0..n {
            if r.key().ok()? == key.as_bytes() {
                return Some(Value::new(r.rest()));
            }
            r.skip().ok()?;
        }
        None
    }

    /// The elements of this array; none for anything else.
    pub fn items(&self) -> Items<'a> {
        let mut r = self.reader();
        match r.token() {
            Ok(Token::Array(left)) => Items { reader: r, left, behind: true },
            _ => Items { reader: r, left: 0, behind: true },
        }
    }

    /// The pairs of this map in their order; none for anything else.
    pub fn pairs(&self) -> Pairs<'a> {
        let mut r = self.reader();
        match r.token() {
            Ok(Token::Map(left)) => Pairs { reader: r, left, behind: true },
            _ => Pairs { reader: r, left: 0, behind: true },
        }
    }

    /// Decodes the value as a type of the plugin.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        super::from_value(*self)
    }

    /// A copy of the value.
    pub fn to_raw(&self) -> Raw {
        Raw::from_bytes_unchecked(self.bytes().to_vec())
    }
}

/// Compares the bytes of two values. For canonical values, such as all values of the host, this is true equality.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl core::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.token() {
            None => f.write_str("<malformed>"),
            Some(Token::Nil) => f.write_str("null"),
            Some(Token::Bool(v)) => v.fmt(f),
            Some(Token::Uint(v)) => v.fmt(f),
            Some(Token::Int(v)) => v.fmt(f),
            Some(Token::F32(v)) => v.fmt(f),
            Some(Token::F64(v)) => v.fmt(f),
            Some(Token::Str(_)) => self.as_str().unwrap_or("<malformed>").fmt(f),
            Some(Token::Bin(_)) => write!(f, "bin{:?}", self.as_bytes().unwrap_or_default()),
            Some(Token::Array(_)) => f.debug_list().entries(self.items()).finish(),
            Some(Token::Map(_)) => f.debug_map().entries(self.pairs()).finish(),
        }
    }
}

/// The elements of an array.
#[derive(Clone)]
pub struct Items<'a> {
    reader: Reader<'a>,
    left: usize,
    behind: bool, // the reader is at the start of the next element
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        if !self.behind && self.reader.skip().is_err() {
            self.left = 0;
            return None;
        }
        self.behind = false; // an element is skipped when the next one is requested
        Some(Value::new(self.reader.rest()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

/// The pairs of a map. A pair with a malformed key ends them.
#[derive(Clone)]
pub struct Pairs<'a> {
    reader: Reader<'a>,
    left: usize,
    behind: bool,
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a str, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut step = || {
            if !self.behind {
                self.reader.skip()?;
            }
            self.behind = false;
            self.reader.key().and_then(text)
        };
        match step() {
            Ok(key) => Some((key, Value::new(self.reader.rest()))),
            Err(_) => {
                self.left = 0;
                None
            }
        }
    }
}
