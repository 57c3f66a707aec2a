//! Types of a plugin as values of documents.

use agenthost::{from_value, to_raw, Map, Raw};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    zulu: bool,
    numbers: Vec<i64>,
    big: u64,
    small: i8,
    float: f64,
    half: f32,
    text: String,
    maybe: Option<u32>,
    nothing: Option<u32>,
    pair: (u8, String),
    by_name: BTreeMap<String, u8>,
    kind: Kind,
    variants: Vec<Kind>,
    raw: Raw,
    keys: Map,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Plain,
    Wrapped(u8),
    Pair(u8, u8),
    Struct { b: u8, a: u8 },
}

fn everything() -> Everything {
    Everything {
        zulu: true,
        numbers: vec![0, -1, 127, 128, -32, -33, 255, 256, i64::MAX, i64::MIN],
        big: u64::MAX,
        small: -128,
        float: 0.1,
        half: 0.5,
        text: "Grüße".into(),
        maybe: Some(7),
        nothing: None,
        pair: (1, "two".into()),
        by_name: BTreeMap::from([("b".into(), 1), ("a".into(), 2)]),
        kind: Kind::Plain,
        variants: vec![Kind::Wrapped(1), Kind::Pair(2, 3), Kind::Struct { b: 4, a: 5 }],
        raw: Raw::array([Raw::nil(), true.into(), "x".into(), Raw::bin(&[1, 2])]),
        keys: Map::from([("z", 1), ("a", 2)]),
    }
}

#[test]
fn values_come_back_as_they_were() {
    let raw = to_raw(&everything()).unwrap();
    assert_eq!(from_value::<Everything>(raw.value()).unwrap(), everything());
}

#[test]
fn keys_are_written_in_ascending_order() {
    let raw = to_raw(&everything()).unwrap();
    let keys: Vec<&str> = raw.value().pairs().map(|(key, _)| key).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let many: HashMap<String, u32> = (0..1000).map(|n| (n.to_string(), n)).collect();
    let raw = to_raw(&many).unwrap();
    assert!(raw.value().pairs().map(|(key, _)| key).is_sorted());
    assert_eq!(from_value::<HashMap<String, u32>>(raw.value()).unwrap(), many);
}

#[test]
fn a_map_canonicalizes_and_refuses_keys_that_stand_twice() {
    let unsorted = [0x82, 0xa1, b'b', 1, 0xa1, b'a', 2];
    let map = Map::try_from(agenthost::Value::new(&unsorted)).unwrap();
    assert_eq!(map, Map::from([("a", 2), ("b", 1)]));
    let twice = [0x82, 0xa1, b'a', 1, 0xa1, b'a', 2];
    assert!(Map::try_from(agenthost::Value::new(&twice)).is_err());
}

#[test]
fn what_has_no_form_is_an_error() {
    assert!(to_raw(&f64::NAN).is_err());
    assert!(to_raw(&f32::INFINITY).is_err());
    assert!(to_raw(&BTreeMap::from([(1, 2)])).is_err());
    assert_eq!(Raw::from(f64::NAN), Raw::nil());
}

#[test]
fn errors_say_where_and_what() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Config {
        limits: Vec<Limit>,
    }
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Limit {
        max: u8,
    }
    let read = |limit: Map| {
        let raw = Raw::from(Map::new().with("limits", vec![Map::new().with("max", 1), limit]));
        from_value::<Config>(raw.value()).unwrap_err().to_string()
    };
    assert_eq!(read(Map::from([("max", "x")])), r#"limits[1].max: the string "x" is not u8"#);
    assert_eq!(read(Map::from([("max", 300)])), "limits[1].max: the integer 300 is not u8");
    assert_eq!(read(Map::from([("max", 1.5)])), "limits[1].max: a number with a point is not u8");
    assert_eq!(read(Map::new()), "limits[1]: missing field `max`");
    assert_eq!(read(Map::from([("min", 1)])), "limits[1]: unknown field `min`, expected `max`");
}

#[test]
fn integers_are_accepted_as_floats() {
    assert_eq!(from_value::<f64>(Raw::from(3).value()).unwrap(), 3.0);
    assert!(from_value::<u8>(Raw::from(3.0).value()).is_err());
}
