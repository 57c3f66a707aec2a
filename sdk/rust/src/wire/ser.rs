use super::*;
use serde::ser::{self, Serialize};

/// The canonical form of a value of the plugin. Maps need string keys, floats must be finite.
pub fn to_raw<T: Serialize + ?Sized>(value: &T) -> Result<Raw, EncodeError> {
    let mut out = Vec::new();
    value.serialize(Serializer { out: &mut out, depth: 0 })?;
    Ok(Raw::from_bytes_unchecked(out))
}

struct Serializer<'a> {
    out: &'a mut Vec<u8>,
    depth: usize,
}

impl<'a> Serializer<'a> {
    fn list(self) -> Result<List<'a>, EncodeError> {
        let depth = deeper(self.depth)?;
        Ok(List { start: self.out.len(), count: 0, out: self.out, depth })
    }

    fn pairs(self) -> Result<Object<'a>, EncodeError> {
        let depth = deeper(self.depth)?;
        Ok(Object { start: self.out.len(), keys: Vec::new(), out: self.out, depth })
    }

    /// Opens the map of one pair that represents an enum's variant with data.
    fn variant(self, name: &str) -> Result<Serializer<'a>, EncodeError> {
        append_map(self.out, 1);
        append_str(self.out, name);
        Ok(Serializer { out: self.out, depth: deeper(self.depth)? })
    }
}

fn deeper(depth: usize) -> Result<usize, EncodeError> {
    if depth == MAX_DEPTH {
        return Err(EncodeError::new("the value is nested too deeply"));
    }
    Ok(depth + 1)
}

/// Puts a head before the bytes written since `start`, because the number of elements is known only at the end.
fn put_head(out: &mut Vec<u8>, start: usize, count: usize, head: fn(&mut Vec<u8>, usize)) {
    let mut bytes = Vec::new();
    head(&mut bytes, count);
    out.splice(start..start, bytes);
}

macro_rules! scalars {
    ($($method:ident($t:ty) $append:ident as $wide:ty;)*) => {$(
        fn $method(self, v: $t) -> Result<(), EncodeError> {
            $append(self.out, v as $wide);
            Ok(())
        }
    )*};
}

impl<'a> ser::Serializer for Serializer<'a> {
    type Ok = ();
    type Error = EncodeError;
    type SerializeSeq = List<'a>;
    type SerializeTuple = List<'a>;
    type SerializeTupleStruct = List<'a>;
    type SerializeTupleVariant = List<'a>;
    type SerializeMap = Object<'a>;
    type SerializeStruct = Object<'a>;
    type SerializeStructVariant = Object<'a>;

    scalars! {
        serialize_bool(bool) append_bool as bool;
        serialize_i8(i8) append_int as i64;
        serialize_i16(i16) append_int as i64;
        serialize_i32(i32) append_int as i64;
        serialize_i64(i64) append_int as i64;
        serialize_u8(u8) append_uint as u64;
        serialize_u16(u16) append_uint as u64;
        serialize_u32(u32) append_uint as u64;
        serialize_u64(u64) append_uint as u64;
    }

    fn serialize_f32(self, v: f32) -> Result<(), EncodeError> {
        if !v.is_finite() {
            return Err(not_finite());
        }
        append_f32(self.out, v);
        Ok(())
    }

    fn serialize_f64(self, v: f64) -> Result<(), EncodeError> {
        if !v.is_finite() {
            return Err(not_finite());
        }
        append_f64(self.out, v);
        Ok(())
    }

    fn serialize_char(self, v: char) -> Result<(), EncodeError> {
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, v: &str) -> Result<(), EncodeError> {
        append_str(self.out, v);
        Ok(())
    }

    fn serialize_bytes(self, v: &[u8]) -> Result<(), EncodeError> {
        append_bin(self.out, v);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), EncodeError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), EncodeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), EncodeError> {
        append_nil(self.out);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), EncodeError> {
        append_map(self.out, 0);
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), EncodeError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), EncodeError> {
        if name != RAW {
            return value.serialize(self);
        }
        let start = self.out.len();
        value.serialize(Serializer { out: &mut *self.out, depth: self.depth })?;
        unwrap_bin(self.out, start)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        value.serialize(self.variant(variant)?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'a>, EncodeError> {
        self.list()
    }

    fn serialize_tuple(self, _: usize) -> Result<List<'a>, EncodeError> {
        self.list()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List<'a>, EncodeError> {
        self.list()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<List<'a>, EncodeError> {
        self.variant(variant)?.list()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Object<'a>, EncodeError> {
        self.pairs()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Object<'a>, EncodeError> {
        self.pairs()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Object<'a>, EncodeError> {
        self.variant(variant)?.pairs()
    }
}

fn not_finite() -> EncodeError {
    EncodeError::new("NaN and infinities are not allowed")
}

/// Unwraps the bin at `start`, which carried the bytes of a raw value through serde.
fn unwrap_bin(out: &mut Vec<u8>, start: usize) -> Result<(), EncodeError> {
    let mut r = Reader::new(&out[start..]);
    let head = match r.token() {
        Ok(Token::Bin(n)) if n > 0 => out.len() - start - n,
        _ => return Err(EncodeError::new("the raw value is malformed")),
    };
    out.drain(start..start + head);
    Ok(())
}

/// An array that is being written.
struct List<'a> {
    out: &'a mut Vec<u8>,
    depth: usize,
    start: usize,
    count: usize,
}

impl List<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.count += 1;
        value.serialize(Serializer { out: self.out, depth: self.depth })
    }

    fn close(self) -> Result<(), EncodeError> {
        put_head(self.out, self.start, self.count, append_array);
        Ok(())
    }
}

/// A map that is being written.
struct Object<'a> {
    out: &'a mut Vec<u8>,
    depth: usize,
    start: usize,
    keys: Vec<usize>, // where each pair begins
}

impl Object<'_> {
    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        let at = self.out.len();
        self.keys.push(at);
        key.serialize(Serializer { out: self.out, depth: self.depth })?;
        match Reader::new(&self.out[at..]).token() {
            Ok(Token::Str(_)) => Ok(()),
            _ => Err(EncodeError::new("the keys of a map must be strings")),
        }
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        value.serialize(Serializer { out: self.out, depth: self.depth })
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), EncodeError> {
        self.keys.push(self.out.len());
        append_str(self.out, key);
        self.value(value)
    }

    /// Puts the pairs into the order of their keys, and the head before them.
    fn close(self) -> Result<(), EncodeError> {
        if !self.keys.is_sorted_by(|&a, &b| key_at(self.out, a) < key_at(self.out, b)) {
            let sorted = self.sort()?;
            self.out.truncate(self.start);
            self.out.extend_from_slice(&sorted);
        }
        put_head(self.out, self.start, self.keys.len(), append_map);
        Ok(())
    }

    /// The pairs in the order of their keys.
    fn sort(&self) -> Result<Vec<u8>, EncodeError> {
        let ends = self.keys.iter().skip(1).copied().chain([self.out.len()]);
        let mut pairs: Vec<(usize, usize)> = Vec::with_capacity(self.keys.len());
        for (at, end) in self.keys.iter().copied().zip(ends) {
            let key = key_at(self.out, at);
            match pairs.binary_search_by_key(&key, |&(other, _)| key_at(self.out, other)) {
                Ok(_) => return Err(EncodeError::new("a key appears twice in one map")),
                Err(i) => pairs.insert(i, (at, end)),
            }
        }
        Ok(pairs.into_iter().flat_map(|(from, to)| &self.out[from..to]).copied().collect())
    }
}

fn key_at(out: &[u8], at: usize) -> &[u8] {
    Reader::new(&out[at..]).key().unwrap_or_default()
}

macro_rules! compound {
    ($type:ident: $($trait:ident $method:ident),*) => {$(
        impl ser::$trait for $type<'_> {
            type Ok = ();
            type Error = EncodeError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
                self.item(value)
            }

            fn end(self) -> Result<(), EncodeError> {
                self.close()
            }
        }
    )*};
}
compound!(List: SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field);

impl ser::SerializeMap for Object<'_> {
    type Ok = ();
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.value(value)
    }

    fn end(self) -> Result<(), EncodeError> {
        self.close()
    }
}

impl ser::SerializeStruct for Object<'_> {
    type Ok = ();
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), EncodeError> {
        self.field(key, value)
    }

    fn end(self) -> Result<(), EncodeError> {
        self.close()
    }
}

impl ser::SerializeStructVariant for Object<'_> {
    type Ok = ();
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), EncodeError> {
        self.field(key, value)
    }

    fn end(self) -> Result<(), EncodeError> {
        self.close()
    }
}
