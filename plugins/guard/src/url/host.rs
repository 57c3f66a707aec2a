//! The host of a URL, in one form for all ways to write it.

use super::punycode;
use crate::scan::{compatible, is_invisible, lower};
use std::net::{Ipv4Addr, Ipv6Addr};

/// The longest name that the DNS has.
const LONGEST: usize = 253;

/// What stands in no host.
const PUNCTUATION: [char; 12] = ['(', ')', '[', ']', '{', '}', ',', ';', '\'', '|', '*', '!'];

/// Where a URL leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// `http` or `https`.
    pub is_https: bool,
    /// A name in lower case and ASCII without the dot at its end, or an address in its usual form.
    pub host: String,
    /// The port, also if it is the scheme's own.
    pub port: u16,
}

impl Origin {
    /// Reads the part of a URL between the slashes: `user@host:port`, and what stands behind it in a text without a
    /// blank. `None` if no host can be made of it.
    pub fn parse(is_https: bool, authority: &str) -> Option<Self> {
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let address = if place.starts_with('[') { place.find(']')? + 1 } else { 0 };
        let length = place[address..].find(PUNCTUATION).map_or(place.len(), |n| address + n);
        let place = place[..length].trim_end_matches(['.', '_']);
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (place, ""),
        };
        let port = match port {
            "" if is_https => 443,
            "" => 80,
            port => port.parse().ok()?,
        };
        Some(Origin { is_https, host: canonical(host)?, port })
    }

    /// Reports whether the port is the scheme's own.
    pub fn is_default_port(&self) -> bool {
        self.port == if self.is_https { 443 } else { 80 }
    }
}

/// The one form of a host.
pub fn canonical(host: &str) -> Option<String> {
    if let Some(inner) = host.strip_prefix('[') {
        let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
        return Some(match address.to_ipv4_mapped() {
            Some(mapped) => mapped.to_string(),
            None => format!("[{address}]"),
        });
    }
    let mut name = String::new();
    for c in percent_decoded(host)?.chars().filter(|c| !is_invisible(*c)) {
        name.push(compatible(c).unwrap_or_else(|| lower(c)));
    }
    let name = name.strip_suffix('.').unwrap_or(&name);
    if let Some(address) = ipv4(name) {
        return address.map(|a| a.to_string());
    }
    let labels: Vec<String> = name.split('.').map(label).collect::<Option<_>>()?;
    Some(labels.join(".")).filter(|name| name.len() <= LONGEST)
}

fn label(label: &str) -> Option<String> {
    let is_allowed = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if label.is_empty() || !label.chars().all(is_allowed) {
        return None;
    }
    punycode::encode(label)
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?].map(|d| (d as char).to_digit(16));
        out.push((digits[0]? << 4 | digits[1]?) as u8);
    }
    String::from_utf8(out).ok()
}

/// The address that a name is, if its last part is a number: `Some(None)` if it is none then. An address has one to
/// four parts, decimal, octal or hexadecimal, of which the last one fills the rest.
fn ipv4(name: &str) -> Option<Option<Ipv4Addr>> {
    let parts: Vec<&str> = name.split('.').collect();
    let last = parts[parts.len() - 1];
    let is_number = !last.is_empty() && (last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x"));
    is_number.then(|| address(&parts))
}

fn address(parts: &[&str]) -> Option<Ipv4Addr> {
    let numbers: Vec<u64> = parts.iter().map(|p| number(p)).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 || first.iter().any(|n| *n > 255) || *last >= 1 << (8 * (4 - first.len())) {
        return None;
    }
    let high = (0u32..).zip(first).map(|(i, n)| n << (24 - 8 * i)).sum::<u64>();
    Some(Ipv4Addr::from((high + last) as u32))
}

fn number(part: &str) -> Option<u64> {
    if let Some(digits) = part.strip_prefix("0x") {
        return if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 16).ok() };
    }
    match part.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => u64::from_str_radix(digits, 8).ok(),
        _ => part.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_one_form() {
        for (host, want) in [
            ("Example.COM.", Some("example.com")),
            ("ｅxample。com", Some("example.com")),
            ("ex\u{ad}am\u{200b}ple.com", Some("example.com")),
            ("%65vil.com", Some("evil.com")),
            ("%zz.com", None),
            ("Bücher.example", Some("xn--bcher-kva.example")),
            ("XN--BCHER-KVA.example", Some("xn--bcher-kva.example")),
            ("127.0.0.1", Some("127.0.0.1")),
            ("2130706433", Some("127.0.0.1")),
            ("0x7f.1", Some("127.0.0.1")),
            ("0177.0.0.1", Some("127.0.0.1")),
            ("0x7F000001", Some("127.0.0.1")),
            ("1.2.3.4.5", None),
            ("256.1.1.1", None),
            ("4294967296", None),
            ("08.1", None),
            ("1.2.3.09a", Some("1.2.3.09a")),
            ("[::1]", Some("[::1]")),
            ("[0:0:0::0:1]", Some("[::1]")),
            ("[::ffff:127.0.0.1]", Some("127.0.0.1")),
            ("[::1", None),
            ("", None),
            (".", None),
            ("a..b", None),
            ("a b.com", None),
            ("a,b.com", None),
        ] {
            assert_eq!(canonical(host).as_deref(), want, "{host}");
        }
        assert_eq!(canonical(&"a.".repeat(128)), None);
    }

    #[test]
    fn origins_are_what_browsers_see() {
        let of = |authority: &str| Origin::parse(true, authority).map(|o| format!("{}:{}", o.host, o.port));
        assert_eq!(of("good.com@evil.com").as_deref(), Some("evil.com:443"));
        assert_eq!(of("a:b@c@evil.com:8443").as_deref(), Some("evil.com:8443"));
        assert_eq!(of("[::1]:80").as_deref(), Some("[::1]:80"));
        assert_eq!(of("[::1]").as_deref(), Some("[::1]:443"));
        assert_eq!(of("evil.com:").as_deref(), Some("evil.com:443"));
        assert_eq!(of("evil.com:x"), None);
        assert_eq!(of("evil.com:99999"), None);
    }
}
