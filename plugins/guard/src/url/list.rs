//! Lists of hosts, written as in the grants of `http.fetch`.

use super::host::{canonical, Origin};

/// Hosts by name or with all names below them.
#[derive(Clone, Debug, Default)]
pub struct HostList(Vec<Entry>);

#[derive(Clone, Debug)]
struct Entry {
    is_https: Option<bool>, // none: either
    host: String,
    below: bool, // the names below the host, and not itself
    port: Option<u16>,
}

impl HostList {
    /// Reads entries of the form `[scheme://][*.]host[:port]`.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        let entry = |text: &String| parse(text).map_err(|e| format!("\"{text}\": {e}"));
        texts.iter().map(entry).collect::<Result<_, _>>().map(HostList)
    }

    /// Reports whether an entry names the place; one without a port only at the port of the scheme.
    pub fn allows(&self, place: &Origin) -> bool {
        self.0
            .iter()
            .any(|e| e.names(place) && (e.port == Some(place.port) || e.port.is_none() && place.is_default_port()))
    }

    /// Reports whether an entry names the place; one without a port at any port.
    pub fn denies(&self, place: &Origin) -> bool {
        self.0.iter().any(|e| e.names(place) && e.port.is_none_or(|port| port == place.port))
    }
}

impl Entry {
    fn names(&self, place: &Origin) -> bool {
        let is_host = if self.below {
            place.host.strip_suffix(&self.host).is_some_and(|below| below.ends_with('.'))
        } else {
            place.host == self.host
        };
        is_host && self.is_https.is_none_or(|is_https| is_https == place.is_https)
    }
}

fn parse(text: &str) -> Result<Entry, String> {
    let (is_https, rest) = match text.split_once("://") {
        Some(("https", rest)) => (Some(true), rest),
        Some(("http", rest)) => (Some(false), rest),
        Some(_) => return Err("its scheme must be http or https".into()),
        None => (None, text),
    };
    let (below, rest) = rest.strip_prefix("*.").map_or((false, rest), |rest| (true, rest));
    if rest.contains('*') {
        return Err("only a \"*.\" at the beginning stands for names".into());
    }
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            let number = port.parse().map_err(|_| format!("\"{port}\" is not a port"))?;
            (host, Some(number))
        }
        _ => (rest, None),
    };
    let host = canonical(host).ok_or("it must be a host, without path and user")?;
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    if below && (is_address || !host.contains('.')) {
        return Err(format!("everything below \"{host}\" is too much, or nothing; name the hosts"));
    }
    Ok(Entry { is_https, host, below, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entry: &str) -> HostList {
        HostList::parse(&[entry.to_owned()]).unwrap()
    }

    #[test]
    fn entries_name_places() {
        for (entry, is_https, authority, allows, denies) in [
            ("example.com", true, "example.com", true, true),
            ("example.com", false, "EXAMPLE.com.", true, true),
            ("example.com", true, "example.com:8443", false, true),
            ("example.com:8443", true, "example.com:8443", true, true),
            ("example.com:8443", true, "example.com", false, false),
            ("example.com", true, "a.example.com", false, false),
            ("example.com", true, "badexample.com", false, false),
            ("*.example.com", true, "a.b.example.com", true, true),
            ("*.example.com", true, "example.com", false, false),
            ("*.example.com", true, "badexample.com", false, false),
            ("https://example.com", false, "example.com", false, false),
            ("http://example.com", false, "example.com", true, true),
            ("127.0.0.1", true, "2130706433", true, true),
            ("[::1]:80", false, "[0::1]", true, true),
            ("bücher.example", true, "xn--bcher-kva.example", true, true),
        ] {
            let place = Origin::parse(is_https, authority).unwrap();
            assert_eq!(list(entry).allows(&place), allows, "{entry} {authority}");
            assert_eq!(list(entry).denies(&place), denies, "{entry} {authority}");
        }
    }

    #[test]
    fn entries_that_are_none_are_refused() {
        for (entry, says) in [
            ("", "must be a host"),
            ("*", "at the beginning"),
            ("a.*.com", "at the beginning"),
            ("*.com", "too much"),
            ("*.127.0.0.1", "too much"),
            ("ftp://a.com", "scheme"),
            ("a.com/path", "without path"),
            ("u@a.com", "without path"),
            ("a.com:x", "not a port"),
        ] {
            let refused = HostList::parse(&[entry.to_owned()]).unwrap_err();
            assert!(refused.contains(says), "{entry}: {refused}");
        }
    }
}
