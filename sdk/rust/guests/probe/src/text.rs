//! Values as text, and texts with values in them.

use agenthost::{Error, Map, Raw, Value};
use std::fmt::Write;

/// The error of an invalid script, such as a transformation without a response.
pub fn mistake(text: impl Into<String>) -> Error {
    Error::new("probe_mistake", text)
}

/// Shows a value in a text: a string unchanged, anything else as compact JSON with sorted keys.
pub fn show(value: Value<'_>) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let mut out = String::new();
    write_json(&mut out, value);
    out
}

fn write_json(out: &mut String, value: Value<'_>) {
    if let Some(v) = value.as_bool() {
        out.push_str(if v { "true" } else { "false" });
    } else if let Some(v) = value.as_i64() {
        out.push_str(&v.to_string());
    } else if let Some(v) = value.as_u64() {
        out.push_str(&v.to_string());
    } else if let Some(v) = value.as_f64() {
        out.push_str(&float(v));
    } else if let Some(v) = value.as_str() {
        write_string(out, v);
    } else if value.is_array() {
        out.push('[');
        for (i, item) in value.items().enumerate() {
            if i > 0 {
                out.push(',');
            }
            write_json(out, item);
        }
        out.push(']');
    } else if value.is_map() {
        out.push('{');
        for (i, (key, value)) in value.pairs().enumerate() {
            if i > 0 {
                out.push(',');
            }
            write_string(out, key);
            out.push(':');
            write_json(out, value);
        }
        out.push('}');
    } else {
        out.push_str("null");
    }
}

/// The shortest form of the same number: whole numbers with `.0`, other large or very small numbers with an exponent, as in Go.
fn float(v: f64) -> String {
    if v == v.trunc() && v.abs() < 1e16 {
        return format!("{v:.1}");
    }
    let scientific = format!("{v:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return v.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32); // a String takes everything
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Replaces every `{name}` in a text by the value that `lookup` returns. Unknown names stay.
pub fn expand(text: &str, mut lookup: impl FnMut(&str) -> Option<String>) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-#".contains(c);
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let name = &behind[..behind.find(|c| !is_name(c)).unwrap_or(behind.len())];
        match behind[name.len()..].strip_prefix('}') {
            Some(after) if !name.is_empty() => {
                out.push_str(&lookup(name).unwrap_or_else(|| format!("{{{name}}}")));
                rest = after;
            }
            _ => {
                out.push('{');
                rest = behind;
            }
        }
    }
    out + rest
}

/// Replaces `{n}` in every string of a value.
pub fn number(value: Value<'_>, n: u64) -> Raw {
    if let Some(text) = value.as_str() {
        return text.replace("{n}", &n.to_string()).into();
    }
    if value.is_array() {
        return Raw::array(value.items().map(|item| number(item, n)));
    }
    if value.is_map() {
        return value.pairs().map(|(key, value)| (key, number(value, n))).collect::<Map>().into();
    }
    value.to_raw()
}

/// The upper case of a text, letter by letter.
pub fn upper(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut upper = c.to_uppercase();
            if upper.len() == 1 {
                upper.next().unwrap_or(c)
            } else {
                c
            }
        })
        .collect()
}
