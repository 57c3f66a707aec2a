use crate::wire::{self, DecodeError, Map, Raw, Reader, Token, Value};

/// A type that can be encoded as a document or as a part of one.
pub trait Encode {
    /// Appends the canonical form.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reports whether an optional key with this value is left out.
    fn is_absent(&self) -> bool {
        false
    }

    /// The canonical form by itself.
    fn to_document(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode(&mut out);
        out
    }
}

/// A type that can be decoded from a document.
pub trait Decode: Sized {
    /// Reads a value. Unknown keys are ignored and missing ones are empty; a value of the wrong type is an error.
    fn decode(value: Value<'_>) -> Result<Self, DecodeError>;

    /// Reads a document that is exactly one value.
    fn from_document(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut r = Reader::new(bytes);
        r.skip()?;
        match r.rest().len() {
            0 => Self::decode(Value::new(bytes)),
            n => Err(DecodeError::new(format!("{n} bytes after the document"))),
        }
    }
}

/// Defines a document: a struct with its keys in ascending order. `maybe` marks a key that may be absent.
macro_rules! document {
    (
        $(#[$meta:meta])*
        $name:ident {
            $($(#[$doc:meta])* $($optional:ident)? $key:literal => $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl crate::document::Encode for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                let n = 0 $(+ usize::from(!(document!(@optional $($optional)?) && self.$field.is_absent())))*;
                crate::wire::append_map(out, n);
                $(if !(document!(@optional $($optional)?) && self.$field.is_absent()) {
                    crate::wire::append_str(out, $key);
                    self.$field.encode(out);
                })*
            }
        }

        impl crate::document::Decode for $name {
            fn decode(value: crate::wire::Value<'_>) -> Result<Self, crate::wire::DecodeError> {
                let mut document = Self::default();
                crate::document::codec::keys(value, |key, value| {
                    match key {
                        $($key => document.$field = crate::document::Decode::decode(value)?,)*
                        _ => {}
                    }
                    Ok(())
                })?;
                Ok(document)
            }
        }
    };
    (@optional) => { false };
    (@optional maybe) => { true };
}
pub(super) use document;

/// Goes through the keys of a map.
pub(super) fn keys(
    value: Value<'_>,
    mut each: impl FnMut(&str, Value<'_>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut r = value.reader();
    let Token::Map(n) = r.token()? else {
        return Err(expected("a map"));
    };
    for _ in 0..n {
        let key = wire::text(r.key()?)?;
        each(key, Value::new(r.value()?)).map_err(|e| e.within(key))?;
    }
    Ok(())
}

fn expected(what: &str) -> DecodeError {
    DecodeError::new(format!("{what} is expected"))
}

/// Implements both traits for a type, given how to append it and how to read it from a value.
macro_rules! scalar {
    ($($type:ty, $what:literal, $absent:expr, $append:expr, $read:expr;)*) => {$(
        impl Encode for $type {
            fn encode(&self, out: &mut Vec<u8>) {
                let append: fn(&mut Vec<u8>, &$type) = $append;
                append(out, self);
            }

            fn is_absent(&self) -> bool {
                let absent: fn(&$type) -> bool = $absent;
                absent(self)
            }
        }

        impl Decode for $type {
            fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
                let read: fn(Value<'_>) -> Option<$type> = $read;
                read(value).ok_or_else(|| expected($what))
            }
        }
    )*};
}
scalar! {
    bool, "a boolean", |v| !v, |out, v| wire::append_bool(out, *v), |v| v.as_bool();
    u64, "an integer that is not negative", |v| *v == 0, |out, v| wire::append_uint(out, *v), |v| v.as_u64();
    i64, "an integer", |v| *v == 0, |out, v| wire::append_int(out, *v), |v| v.as_i64();
    String, "a string", String::is_empty, |out, v| wire::append_str(out, v), |v| v.as_str().map(str::to_owned);
    Vec<u8>, "a bin", Vec::is_empty, |out, v| wire::append_bin(out, v), |v| v.as_bytes().map(<[u8]>::to_vec);
    Raw, "a value", Raw::is_none, |out, v| v.append(out), |v| Some(v.to_raw());
}

impl Encode for Map {
    fn encode(&self, out: &mut Vec<u8>) {
        self.append(out);
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Decode for Map {
    fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
        Map::try_from(value)
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        wire::append_array(out, self.len());
        for item in self {
            item.encode(out);
        }
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Encode> Encode for &T {
    fn encode(&self, out: &mut Vec<u8>) {
        (**self).encode(out);
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
        if !value.is_array() {
            return Err(expected("an array"));
        }
        let mut items = Vec::new();
        for (i, item) in value.items().enumerate() {
            items.push(T::decode(item).map_err(|e| e.within_item(i))?);
        }
        if items.len() < value.len() {
            return Err(DecodeError::new("an element is malformed"));
        }
        Ok(items)
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Some(v) => v.encode(out),
            None => wire::append_nil(out),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
        T::decode(value).map(Some)
    }
}

/// An enum of names. An unknown name decodes as the first variant, which encodes as the empty string.
macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $(#[$other_doc:meta])* $other:ident, $($(#[$doc:meta])* $text:literal => $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $(#[$other_doc])*
            #[default]
            $other,
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// The name in documents.
            pub fn as_str(self) -> &'static str {
                match self {
                    $name::$other => "",
                    $($name::$variant => $text,)*
                }
            }

            /// The variant with this name.
            pub fn of(name: &str) -> Self {
                match name {
                    $($text => $name::$variant,)*
                    _ => $name::$other,
                }
            }
        }

        impl crate::document::Encode for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                crate::wire::append_str(out, self.as_str());
            }

            fn is_absent(&self) -> bool {
                *self == $name::$other
            }
        }

        impl crate::document::Decode for $name {
            fn decode(value: crate::wire::Value<'_>) -> Result<Self, crate::wire::DecodeError> {
                String::decode(value).map(|name| $name::of(&name))
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(super) use names;
