use super::*;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Visitor};

/// Decodes a value as a type of the plugin. The type decides about unknown keys; serde ignores them by default.
pub fn from_value<T: DeserializeOwned>(value: Value<'_>) -> Result<T, DecodeError> {
    let mut reader = value.reader();
    T::deserialize(Deserializer { reader: &mut reader, depth: 0 })
}

struct Deserializer<'r, 'de> {
    reader: &'r mut Reader<'de>,
    depth: usize,
}

impl<'de> Deserializer<'_, 'de> {
    fn deeper(&self) -> Result<usize, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(DecodeError::new("the value is nested too deeply"));
        }
        Ok(self.depth + 1)
    }

    fn is_nil(&self) -> bool {
        let mut ahead = *self.reader;
        ahead.token() == Ok(Token::Nil)
    }
}

impl<'de> de::Deserializer<'de> for Deserializer<'_, 'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let depth = self.deeper()?;
        let reader = self.reader;
        match reader.token()? {
            Token::Nil => visitor.visit_unit(),
            Token::Bool(v) => visitor.visit_bool(v),
            Token::Uint(v) => visitor.visit_u64(v),
            Token::Int(v) => visitor.visit_i64(v),
            Token::F32(v) => visitor.visit_f32(v),
            Token::F64(v) => visitor.visit_f64(v),
            Token::Str(n) => visitor.visit_borrowed_str(text(reader.take(n)?)?),
            Token::Bin(n) => visitor.visit_borrowed_bytes(reader.take(n)?),
            Token::Array(left) => {
                let mut list = List { reader, depth, at: 0, left };
                let v = visitor.visit_seq(&mut list)?;
                list.finish()?;
                Ok(v)
            }
            Token::Map(left) => {
                let mut pairs = Object { reader, depth, left, key: "" };
                let v = visitor.visit_map(&mut pairs)?;
                pairs.finish()?;
                Ok(v)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_nil() {
            self.reader.skip()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if name == RAW {
            return visitor.visit_bytes(self.reader.value()?);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    /// A plugin without configuration gets the empty map: `()` accepts it.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let mut ahead = *self.reader;
        match ahead.token()? {
            Token::Nil | Token::Map(0) => {
                *self.reader = ahead;
                visitor.visit_unit()
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let depth = self.deeper()?;
        let mut ahead = *self.reader;
        match ahead.token()? {
            Token::Str(_) => {
                let name = text(self.reader.key()?)?;
                visitor.visit_enum(de::value::BorrowedStrDeserializer::new(name))
            }
            Token::Map(1) => {
                *self.reader = ahead;
                visitor.visit_enum(Variant { reader: self.reader, depth })
            }
            _ => Err(DecodeError::new("a name, or a map with one name as its key, is expected")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf seq tuple tuple_struct map
        struct identifier
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.reader.skip()?;
        visitor.visit_unit()
    }
}

/// An array that is being read.
struct List<'r, 'de> {
    reader: &'r mut Reader<'de>,
    depth: usize,
    at: usize,
    left: usize,
}

impl List<'_, '_> {
    fn finish(&self) -> Result<(), DecodeError> {
        match self.left {
            0 => Ok(()),
            n => Err(DecodeError::new(format!("{n} elements too many"))),
        }
    }
}

impl<'de> de::SeqAccess<'de> for &mut List<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.at += 1;
        let item = seed.deserialize(Deserializer { reader: self.reader, depth: self.depth });
        item.map(Some).map_err(|e| e.within_item(self.at - 1))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A map that is being read.
struct Object<'r, 'de> {
    reader: &'r mut Reader<'de>,
    depth: usize,
    left: usize,
    key: &'de str, // the last key that was read
}

impl Object<'_, '_> {
    fn finish(&self) -> Result<(), DecodeError> {
        match self.left {
            0 => Ok(()),
            n => Err(DecodeError::new(format!("{n} keys too many"))),
        }
    }
}

impl<'de> de::MapAccess<'de> for &mut Object<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.key = text(self.reader.key()?)?;
        seed.deserialize(de::value::BorrowedStrDeserializer::new(self.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let value = seed.deserialize(Deserializer { reader: self.reader, depth: self.depth });
        value.map_err(|e| e.within(self.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A variant with data that is being read. The reader is at its name.
struct Variant<'r, 'de> {
    reader: &'r mut Reader<'de>,
    depth: usize,
}

impl<'r, 'de> de::EnumAccess<'de> for Variant<'r, 'de> {
    type Error = DecodeError;
    type Variant = Deserializer<'r, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), DecodeError> {
        let name = text(self.reader.key()?)?;
        let name = de::value::BorrowedStrDeserializer::<DecodeError>::new(name);
        let v = seed.deserialize(name)?;
        Ok((v, Deserializer { reader: self.reader, depth: self.depth }))
    }
}

impl<'de> de::VariantAccess<'de> for Deserializer<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        de::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        de::Deserializer::deserialize_any(self, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, DecodeError> {
        de::Deserializer::deserialize_any(self, visitor)
    }
}
