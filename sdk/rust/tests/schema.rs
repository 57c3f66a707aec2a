//! The schemas that the derive macro makes.
#![allow(dead_code)]

use agenthost::{schema, Map, Raw, Schema};
use serde::Deserialize;
use std::collections::BTreeMap;

/// How the cache works,
/// in short.
///
/// More of it.
#[derive(Deserialize, Schema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Cache {
    /// How many entries.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 9, default = 3)]
    max_entries: i64,
    #[schema(minimum = -1.5)]
    weight: f64,
    #[serde(rename = "type")]
    kind: Kind,
    names: Vec<String>,
    limits: BTreeMap<String, u8>,
    nested: Option<Nested>,
    #[serde(skip)]
    hidden: u8,
    #[schema(default = "x")]
    label: String,
    anything: Raw,
}

/// What kind.
#[derive(Deserialize, Schema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Kind {
    LeastRecent,
    #[serde(rename = "fifo")]
    First,
}

#[derive(Deserialize, Schema)]
struct Nested {
    on: bool,
}

fn typed(name: &str) -> Map {
    Map::new().with("type", name)
}

#[test]
fn a_struct_becomes_an_object() {
    let nested = typed("object").with("properties", Map::from([("on", typed("boolean"))])).with("required", vec!["on"]);
    let properties = Map::new()
        .with(
            "max-entries",
            typed("integer")
                .with("description", "How many entries.")
                .with("default", 3)
                .with("minimum", 0)
                .with("maximum", 9),
        )
        .with("weight", typed("number").with("minimum", -1.5))
        .with("type", typed("string").with("description", "What kind.").with("enum", vec!["LEAST_RECENT", "fifo"]))
        .with("names", typed("array").with("items", typed("string")))
        .with("limits", typed("object").with("additionalProperties", typed("integer").with("minimum", 0)))
        .with("nested", nested)
        .with("label", typed("string").with("default", "x"))
        .with("anything", Map::new());
    let whole = typed("object")
        .with("description", "How the cache works, in short.\nMore of it.")
        .with("properties", properties)
        .with("required", vec!["weight", "type", "names", "limits", "anything"])
        .with("additionalProperties", false);
    assert_eq!(schema::of::<Cache>(), Raw::from(whole));
}

#[test]
fn the_unit_has_no_schema() {
    assert!(schema::of::<()>().is_none());
}

#[test]
fn fields_are_renamed_as_serde_does() {
    #[derive(Deserialize, Schema)]
    #[serde(rename_all = "camelCase")]
    struct Camel {
        first_name: u8,
        r#type: u8,
    }
    #[derive(Deserialize, Schema)]
    #[serde(rename_all = "PascalCase")]
    struct Pascal {
        first_name: u8,
    }
    #[derive(Deserialize, Schema)]
    #[serde(rename_all = "camelCase")]
    enum Variants {
        FirstOne,
    }
    let keys = |raw: Raw| -> Vec<String> {
        raw.value().get("properties").unwrap().pairs().map(|(key, _)| key.to_owned()).collect()
    };
    assert_eq!(keys(schema::of::<Camel>()), ["firstName", "type"]);
    assert!(from(Map::from([("firstName", 1), ("type", 2)])).to::<Camel>().is_ok());
    assert_eq!(keys(schema::of::<Pascal>()), ["FirstName"]);
    assert!(from(Map::from([("FirstName", 1)])).to::<Pascal>().is_ok());
    let variants = schema::of::<Variants>();
    assert_eq!(variants.value().get("enum").unwrap().items().next().unwrap().as_str(), Some("firstOne"));
    assert!(agenthost::Value::new(Raw::from("firstOne").bytes()).to::<Variants>().is_ok());
}

fn from(map: Map) -> agenthost::Value<'static> {
    let raw: &'static Raw = Box::leak(Box::new(map.into()));
    raw.value()
}
