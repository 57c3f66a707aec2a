//! JSON Schemas of Rust types, known at compile time.

use crate::wire::{Map, Raw};

pub use agenthost_derive::Schema;

/// A type that has a JSON Schema, for a configuration, a tool's arguments or a field's values.
///
/// `#[derive(Schema)]` makes the schema for a struct with named fields or an enum without data. It agrees
/// with serde's derived `Deserialize` and respects `rename`, `rename_all`, `default`, `skip`,
/// `skip_deserializing` and `deny_unknown_fields`. Doc comments become descriptions. Fields of type `Option`
/// and fields with a default are optional. The attribute `#[schema(minimum = 0, maximum = 9, default = "x")]`
/// adds to a field's schema. Schemas have no references, so a type that contains itself does not compile.
///
/// ```
/// use agenthost::Schema;
/// use serde::Deserialize;
///
/// /// How to look.
/// #[derive(Deserialize, Schema)]
/// struct Search {
///     /// What to look for.
///     query: String,
///     /// How many results.
///     #[serde(default)]
///     #[schema(minimum = 1, maximum = 50, default = 10)]
///     limit: u64,
/// }
///
/// let schema = agenthost::schema::of::<Search>();
/// let limit = schema.value().get("properties").unwrap().get("limit").unwrap();
/// assert_eq!(limit.get("maximum").unwrap().as_u64(), Some(50));
/// ```
///
/// A type that a schema cannot express does not compile:
///
/// ```compile_fail
/// #[derive(agenthost::Schema)]
/// struct Outer {
///     #[serde(flatten)]
///     inner: std::collections::BTreeMap<String, u8>,
/// }
/// ```
pub trait Schema {
    /// The shape of the type.
    const SHAPE: &'static Shape;
}

/// The JSON Schema of a type; none for `()`.
pub fn of<T: Schema>() -> Raw {
    match T::SHAPE {
        Shape::Nothing => Raw::NONE,
        shape => shape.keys().into(),
    }
}

/// The shape of a type in documents.
#[derive(Debug)]
pub enum Shape {
    /// There is no value.
    Nothing,
    /// Any value.
    Any,
    /// A boolean.
    Bool,
    /// An integer, with its least value if the type has one that matters.
    Integer(Option<i64>),
    /// A number.
    Number,
    /// A string.
    String,
    /// A list of values.
    List(&'static Shape),
    /// A map of values.
    Map(&'static Shape),
    /// One of these strings, with a description.
    OneOf(&'static str, &'static [&'static str]),
    /// An object with these keys, with a description and whether other keys are refused.
    Object(&'static str, &'static [Property], bool),
}

/// A key of an object.
#[derive(Debug)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The shape of its value.
    pub shape: &'static Shape,
    /// Whether the key is required.
    pub required: bool,
    /// The value that the host fills in if the key is absent.
    pub default: Option<Literal>,
    /// The least number.
    pub minimum: Option<Literal>,
    /// The largest number.
    pub maximum: Option<Literal>,
}

/// A literal value in an attribute.
#[derive(Debug)]
pub enum Literal {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A string.
    String(&'static str),
}

impl Literal {
    fn raw(&self) -> Raw {
        match *self {
            Literal::Bool(v) => v.into(),
            Literal::Integer(v) => v.into(),
            Literal::Number(v) => v.into(),
            Literal::String(v) => v.into(),
        }
    }
}

impl Shape {
    fn keys(&self) -> Map {
        let typed = |name: &str| Map::new().with("type", name);
        match *self {
            Shape::Nothing | Shape::Any => Map::new(),
            Shape::Bool => typed("boolean"),
            Shape::Integer(None) => typed("integer"),
            Shape::Integer(Some(least)) => typed("integer").with("minimum", least),
            Shape::Number => typed("number"),
            Shape::String => typed("string"),
            Shape::List(items) => typed("array").with("items", items.keys()),
            Shape::Map(values) => typed("object").with("additionalProperties", values.keys()),
            Shape::OneOf(description, names) => {
                described(typed("string"), description).with("enum", Raw::array(names.iter().copied()))
            }
            Shape::Object(description, properties, closed) => object(description, properties, closed),
        }
    }
}

fn described(keys: Map, description: &str) -> Map {
    if description.is_empty() {
        keys
    } else {
        keys.with("description", description)
    }
}

fn object(description: &str, properties: &[Property], closed: bool) -> Map {
    let mut keys = described(Map::new().with("type", "object"), description);
    let required: Vec<&str> = properties.iter().filter(|p| p.required).map(|p| p.name).collect();
    if !required.is_empty() {
        keys.set("required", required);
    }
    if !properties.is_empty() {
        keys.set("properties", properties.iter().map(|p| (p.name, p.keys())).collect::<Map>());
    }
    if closed {
        keys.set("additionalProperties", false);
    }
    keys
}

impl Property {
    fn keys(&self) -> Map {
        let mut keys = described(self.shape.keys(), self.description);
        for (name, literal) in [("default", &self.default), ("minimum", &self.minimum), ("maximum", &self.maximum)] {
            if let Some(literal) = literal {
                keys.set(name, literal.raw());
            }
        }
        keys
    }
}

macro_rules! shapes {
    ($($type:ty => $shape:expr;)*) => {$(
        impl Schema for $type {
            const SHAPE: &'static Shape = &$shape;
        }
    )*};
}
shapes! {
    () => Shape::Nothing;
    bool => Shape::Bool;
    i8 => Shape::Integer(None);
    i16 => Shape::Integer(None);
    i32 => Shape::Integer(None);
    i64 => Shape::Integer(None);
    isize => Shape::Integer(None);
    u8 => Shape::Integer(Some(0));
    u16 => Shape::Integer(Some(0));
    u32 => Shape::Integer(Some(0));
    u64 => Shape::Integer(Some(0));
    usize => Shape::Integer(Some(0));
    f32 => Shape::Number;
    f64 => Shape::Number;
    String => Shape::String;
    Raw => Shape::Any;
    Map => Shape::Object("", &[], false);
}

impl<T: Schema> Schema for Vec<T> {
    const SHAPE: &'static Shape = &Shape::List(T::SHAPE);
}

impl<T: Schema> Schema for Option<T> {
    const SHAPE: &'static Shape = T::SHAPE;
}

impl<T: Schema> Schema for Box<T> {
    const SHAPE: &'static Shape = T::SHAPE;
}

impl<T: Schema> Schema for std::collections::BTreeMap<String, T> {
    const SHAPE: &'static Shape = &Shape::Map(T::SHAPE);
}

impl<T: Schema, S> Schema for std::collections::HashMap<String, T, S> {
    const SHAPE: &'static Shape = &Shape::Map(T::SHAPE);
}
