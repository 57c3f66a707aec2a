//! Finding links in a text.

use super::host::Origin;
use super::HostList;
use crate::scan::{Category, Finding, Severity, Work};
use std::ops::Range;

/// The longest part of a URL that may name a host, in bytes, with what a user name and escapes add.
const LONGEST_AUTHORITY: usize = 2048;

/// Where the end of a link that is written in Markdown is looked for, in bytes.
const LONGEST_LINK: usize = 4096;

/// How long a scheme is at the most, with blanks that browsers pass over.
const LONGEST_SCHEME: usize = 64;

/// Types of data that renderers only draw.
const PICTURES: [&[u8]; 7] =
    [b"image/png", b"image/jpeg", b"image/jpg", b"image/gif", b"image/webp", b"image/avif", b"image/bmp"];

/// Which links a text may have.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Only these hosts; none: all.
    pub allow: Option<HostList>,
    /// Not these hosts, even if they are allowed.
    pub deny: HostList,
    /// Hosts are looked at at all.
    pub checks_hosts: bool,
}

impl Links {
    /// Appends the links that lead to where none may lead.
    pub fn find(&self, text: &str, findings: &mut Vec<Finding>, work: &mut Work) {
        let bytes = text.as_bytes();
        let mut taken = 0; // up to here the text is in a finding, or in a URL
        for at in 0..bytes.len() {
            work.add(1);
            let range = match bytes[at] {
                b':' if self.checks_hosts => self.url(text, at, taken, work),
                b'(' if at > 0 && bytes[at - 1] == b']' => self.markdown(text, at, work),
                _ => None,
            };
            let Some(range) = range else { continue };
            if range.start < taken {
                continue; // goes along with the one that it is in
            }
            let range = whole_link(text, range, taken, work);
            taken = range.end;
            findings.push(Finding { range, category: Category::Url, severity: Severity::High });
        }
    }

    /// The URL whose scheme ends at a colon, if it is not allowed.
    fn url(&self, text: &str, colon: usize, taken: usize, work: &mut Work) -> Option<Range<usize>> {
        let (start, is_https) = scheme(text, colon)?;
        let slashes = text.as_bytes()[colon + 1..].iter().take_while(|b| is_slash(**b)).count();
        work.add(slashes);
        if slashes == 0 || colon < taken || self.is_allowed(is_https, &text[colon + 1 + slashes..], work) {
            return None;
        }
        Some(start..end_of_url(text, colon, work))
    }

    /// Reports whether the place is allowed that a URL names behind its slashes.
    fn is_allowed(&self, is_https: bool, rest: &str, work: &mut Work) -> bool {
        let ends = |b: u8| is_slash(b) || matches!(b, b'?' | b'#') || is_outside(b);
        let length = rest.bytes().take(LONGEST_AUTHORITY).take_while(|b| !ends(*b)).count();
        work.add(length);
        if length == LONGEST_AUTHORITY {
            return false;
        }
        match Origin::parse(is_https, &rest[..length]) {
            Some(place) => !self.deny.denies(&place) && self.allow.as_ref().is_none_or(|list| list.allows(&place)),
            None => false, // nobody knows where it leads
        }
    }

    /// The target of a link or image in Markdown, behind its parenthesis, if it runs a script, holds a document, or is
    /// a URL without a scheme that is not allowed.
    fn markdown(&self, text: &str, open: usize, work: &mut Work) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let mut at = open + 1;
        while at < bytes.len() && at - open <= LONGEST_SCHEME && (bytes[at] <= b' ' || bytes[at] == b'<') {
            at += 1;
        }
        work.add(at - open);
        let rest = &text[at..];
        if is_script(rest, work) {
            return Some(at..at + 1);
        }
        let slashes = rest.bytes().take(LONGEST_SCHEME).take_while(|b| is_slash(*b)).count();
        let is_bad = self.checks_hosts && slashes >= 2 && !self.is_allowed(true, &rest[slashes..], work);
        is_bad.then(|| at..at + 1)
    }
}

fn is_slash(b: u8) -> bool {
    matches!(b, b'/' | b'\\')
}

/// Reports whether a URL ends before this byte, wherever it stands.
fn is_outside(b: u8) -> bool {
    b <= b' ' || matches!(b, b'<' | b'>' | b'"' | b'`' | 0x7F)
}

/// Where the scheme `http` or `https` begins that ends at a colon, and whether it is the latter.
fn scheme(text: &str, colon: usize) -> Option<(usize, bool)> {
    let before = &text.as_bytes()[colon.saturating_sub(5)..colon];
    let ends_with = |name: &str| {
        before.len() >= name.len() && before[before.len() - name.len()..].eq_ignore_ascii_case(name.as_bytes())
    };
    ["https", "http"].into_iter().find(|name| ends_with(name)).map(|name| (colon - name.len(), name.len() == 5))
}

/// The end of a URL that goes on at an index. A parenthesis that it does not open, and punctuation behind it, are not
/// part of it.
fn end_of_url(text: &str, at: usize, work: &mut Work) -> usize {
    let bytes = text.as_bytes();
    let (mut end, mut depth) = (at, 0usize);
    while end < bytes.len() && !is_outside(bytes[end]) {
        match bytes[end] {
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            _ => {}
        }
        end += 1;
    }
    work.add(end - at);
    text[at..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', ']', '\\']).len() + at
}

/// Reports whether a link's target runs a script, or is a document by itself. Pictures may be.
fn is_script(target: &str, work: &mut Work) -> bool {
    let scheme: Vec<u8> = ink(target).take_while(|b| b.is_ascii_alphabetic()).collect();
    work.add(scheme.len() + 1);
    if !matches!(ink(target).nth(scheme.len()), Some(b':' | b'&')) {
        return false; // a colon, or an escape of one
    }
    match scheme.as_slice() {
        b"javascript" | b"vbscript" => true,
        b"data" => {
            let kind: Vec<u8> = ink(target).skip(5).take_while(|b| !matches!(b, b',' | b';' | b')' | b']')).collect();
            work.add(kind.len());
            !PICTURES.contains(&kind.as_slice())
        }
        _ => false,
    }
}

/// The beginning of a text in lower case, without blanks.
fn ink(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().take(LONGEST_SCHEME).filter(|b| *b > b' ').map(|b| b.to_ascii_lowercase())
}

/// The range of the link in Markdown whose target a range is in, or begins; the range itself, if it is not in one.
fn whole_link(text: &str, range: Range<usize>, least: usize, work: &mut Work) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut open = range.start;
    while open > least && (bytes[open - 1] <= b' ' || bytes[open - 1] == b'<') {
        open -= 1;
    }
    work.add(range.start - open + 1);
    if open < least + 2 || &bytes[open - 2..open] != b"](" {
        return range;
    }
    let mut end = range.end;
    while end < bytes.len() && end - range.end < LONGEST_LINK && bytes[end] != b')' && bytes[end] != b'\n' {
        end += 1;
    }
    work.add(end - range.end);
    if bytes.get(end) == Some(&b')') {
        end += 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let mut start = open - 2;
    let mut depth = 1usize;
    while start > least && depth > 0 && bytes[start - 1] != b'\n' {
        start -= 1;
        work.add(1);
        match bytes[start] {
            b']' => depth += 1,
            b'[' => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 {
        return open - 2..end; // nothing opens it
    }
    if start > least && bytes[start - 1] == b'!' {
        start -= 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with what is found in brackets of their own.
    fn marked(allow: &[&str], deny: &[&str], text: &str) -> String {
        let list =
            |texts: &[&str]| HostList::parse(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>()).unwrap();
        let links = Links {
            allow: (!allow.is_empty()).then(|| list(allow)),
            deny: list(deny),
            checks_hosts: !(allow.is_empty() && deny.is_empty()),
        };
        let mut findings = Vec::new();
        links.find(text, &mut findings, &mut Work::default());
        let mut out = text.to_owned();
        for finding in findings.iter().rev() {
            out.insert(finding.range.end, '»');
            out.insert(finding.range.start, '«');
        }
        out
    }

    #[test]
    fn links_outside_of_the_allowed_hosts_are_found() {
        for (text, want) in [
            ("see https://good.com/a and http://evil.com/b.", "see https://good.com/a and «http://evil.com/b»."),
            ("(https://evil.com/a_(b))", "(«https://evil.com/a_(b)»)"),
            ("HTTPS://EVIL.com, HTTP://Good.COM.", "«HTTPS://EVIL.com», HTTP://Good.COM."),
            ("https://good.com@evil.com/", "«https://good.com@evil.com/»"),
            ("https://good.com,x@evil.com/", "«https://good.com,x@evil.com/»"),
            (r"https://evil.com\@good.com/", r"«https://evil.com\@good.com/»"),
            (r"https:\/\/evil.com\/a", r"«https:\/\/evil.com\/a»"),
            ("https:/evil.com https:////evil.com", "«https:/evil.com» «https:////evil.com»"),
            ("https://good.com:8443 https://good.com:443", "«https://good.com:8443» https://good.com:443"),
            ("https://good.com.evil.com https://good.com./x", "«https://good.com.evil.com» https://good.com./x"),
            ("https://gооd.com", "«https://gооd.com»"), // Cyrillic
            ("https://%67ood.com", "https://%67ood.com"),
            ("https://", "«https://»"),
            ("https://good.com/?u=https://evil.com", "https://good.com/?u=«https://evil.com»"),
            ("https://evil.com/?u=https://evil.com x", "«https://evil.com/?u=https://evil.com» x"),
            ("[https://good.com](https://good.com)", "[https://good.com](https://good.com)"),
            ("a ![x[1]](https://evil.com/p?d=1 \"t\") b", "a «![x[1]](https://evil.com/p?d=1 \"t\")» b"),
            ("a [x](<//evil.com/p>) b [y](/local)", "a «[x](<//evil.com/p>)» b [y](/local)"),
            ("x](https://evil.com)", "x«](https://evil.com)»"),
            ("![a](https://good.com/i.png)", "![a](https://good.com/i.png)"),
            ("http: //x, nothttp://a? ftp://evil.com", "http: //x, not«http://a»? ftp://evil.com"),
            ("http://2130706433/ http://[::1]/", "«http://2130706433/» «http://[::1]/»"),
            ("https://é.good.com https://évil.com)", "https://é.good.com «https://évil.com»)"),
        ] {
            assert_eq!(marked(&["good.com", "*.good.com"], &[], text), want, "{text}");
        }
    }

    #[test]
    fn denied_hosts_are_found() {
        for (text, want) in [
            ("https://good.com https://evil.com:99", "https://good.com «https://evil.com:99»"),
            (
                "https://a.evil.com https://b.bad.com https://bad.com",
                "https://a.evil.com «https://b.bad.com» https://bad.com",
            ),
            (
                "http://0x7f.1/ http://[::ffff:7f00:1]/ http://1.2.3.4.5/",
                "«http://0x7f.1/» «http://[::ffff:7f00:1]/» «http://1.2.3.4.5/»",
            ),
        ] {
            assert_eq!(marked(&[], &["evil.com", "*.bad.com", "127.0.0.1"], text), want, "{text}");
        }
        assert_eq!(marked(&["*.good.com"], &["x.good.com"], "https://x.good.com"), "«https://x.good.com»");
    }

    #[test]
    fn scripts_are_found_without_any_list() {
        for (text, want) in [
            ("[a](javascript:alert(1)) b", "«[a](javascript:alert(1)») b"),
            ("[a]( Java\tScript:x)", "«[a]( Java\tScript:x)»"),
            ("![a](data:image/png;base64,AAAA)", "![a](data:image/png;base64,AAAA)"),
            ("![a](data:image/svg+xml,x)", "«![a](data:image/svg+xml,x)»"),
            ("[a](data:text/html;base64,AA)", "«[a](data:text/html;base64,AA)»"),
            ("[javascript](https://evil.com/) javascript:void", "[javascript](https://evil.com/) javascript:void"),
            ("[a](javascripts.html) [b](data.csv)", "[a](javascripts.html) [b](data.csv)"),
        ] {
            assert_eq!(marked(&[], &[], text), want, "{text}");
        }
    }
}
