//! The operator's configuration.

use crate::scan::{Category, Options, Pattern, Severity};
use crate::url::{HostList, Links};
use agenthost::{Error, Map, Result, Schema, Value};
use serde::de::{Deserialize, Deserializer, Error as _};

/// How many phrases the operator may add, and how long each may be, in bytes.
const MOST_PATTERNS: usize = 64;
const LONGEST_PATTERN: usize = 256;

/// How many names and hosts a list may have.
const MOST_NAMES: usize = 256;

/// The configuration.
#[derive(Debug, Default, Schema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What happens to an answer in which something is found: quarantine cuts the passages out, block replaces all of
    /// it, flag wraps it in a notice, error fails the run.
    #[schema(default = "quarantine")]
    pub action: Action,
    /// Finds below this severity do not count. Low finds occur in honest texts too.
    #[schema(default = "medium")]
    pub min_severity: Severity,
    /// What to look for; none: everything.
    pub categories: Vec<Category>,
    /// Phrases to look for beside the built-in ones, such as "ignore (all|any)? * policies".
    pub patterns: Vec<String>,
    /// Hosts that links may lead to, such as example.com or *.example.com; none: all hosts.
    pub allow_urls: Vec<String>,
    /// Hosts that links may not lead to, even if allow_urls has them.
    pub deny_urls: Vec<String>,
    /// Look at the answers of these tools; none: of all tools.
    pub tools: Vec<String>,
    /// Do not look at the answers of these tools.
    pub ignore_tools: Vec<String>,
    /// Look at the messages of the user too.
    #[schema(default = false)]
    pub apply_to_input: bool,
}

/// What happens to a text in which something is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The passages are cut out of it and kept in a state field.
    #[default]
    Quarantine,
    /// A notice takes its place.
    Block,
    /// It passes on inside of a notice.
    Flag,
    /// The run fails.
    Error,
}

/// The host has checked the configuration against the schema, so there is little to say about what does not fit; what
/// serde derives would say it in 20 KiB.
impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut config = Config::default();
        for (key, value) in Map::deserialize(deserializer)?.iter() {
            config.set(key, value.value()).map_err(|reason| D::Error::custom(format!("{key}: {reason}")))?;
        }
        Ok(config)
    }
}

const ACTIONS: [(&str, Action); 4] =
    [("quarantine", Action::Quarantine), ("block", Action::Block), ("flag", Action::Flag), ("error", Action::Error)];

impl Config {
    fn set(&mut self, key: &str, value: Value<'_>) -> Result<(), &'static str> {
        match key {
            "action" => self.action = one_of(value, &ACTIONS)?,
            "min_severity" => self.min_severity = one_of(value, &Severity::ALL.map(|s| (s.as_str(), s)))?,
            "categories" => self.categories = list(value, |v| one_of(v, &Category::ALL.map(|c| (c.as_str(), c))))?,
            "patterns" => self.patterns = list(value, string)?,
            "allow_urls" => self.allow_urls = list(value, string)?,
            "deny_urls" => self.deny_urls = list(value, string)?,
            "tools" => self.tools = list(value, string)?,
            "ignore_tools" => self.ignore_tools = list(value, string)?,
            "apply_to_input" => self.apply_to_input = value.as_bool().ok_or("true or false is expected")?,
            _ => return Err("there is no such key"),
        }
        Ok(())
    }

    /// What to look for. The error names the key that is wrong.
    pub fn options(&self) -> Result<Options> {
        for (key, names) in [("tools", &self.tools), ("ignore_tools", &self.ignore_tools)] {
            at_most(key, names, MOST_NAMES)?;
        }
        at_most("patterns", &self.patterns, MOST_PATTERNS)?;
        let patterns = self.patterns.iter().map(|text| pattern(text)).collect::<Result<_>>()?;
        let links = Links {
            allow: if self.allow_urls.is_empty() { None } else { Some(hosts("allow_urls", &self.allow_urls)?) },
            deny: hosts("deny_urls", &self.deny_urls)?,
            checks_hosts: !(self.allow_urls.is_empty() && self.deny_urls.is_empty()),
        };
        Ok(Options { min_severity: self.min_severity, categories: self.categories.clone(), patterns, links })
    }

    /// The tools whose answers the hook is shown; none: all.
    pub fn shown_tools(&self) -> Vec<String> {
        self.tools.iter().filter(|tool| !self.ignore_tools.contains(tool)).cloned().collect()
    }

    /// Reports whether no tool is left to look at.
    pub fn ignores_all_tools(&self) -> bool {
        !self.tools.is_empty() && self.shown_tools().is_empty()
    }
}

fn one_of<T: Copy>(value: Value<'_>, names: &[(&str, T)]) -> Result<T, &'static str> {
    let name = value.as_str().unwrap_or_default();
    names.iter().find(|pair| pair.0 == name).map(|pair| pair.1).ok_or("a name that is unknown")
}

fn list<T>(value: Value<'_>, item: impl Fn(Value<'_>) -> Result<T, &'static str>) -> Result<Vec<T>, &'static str> {
    value.items().map(item).collect()
}

fn string(value: Value<'_>) -> Result<String, &'static str> {
    value.as_str().map(str::to_owned).ok_or("a string is expected")
}

fn pattern(text: &str) -> Result<Pattern> {
    if text.len() > LONGEST_PATTERN {
        return Err(refusal("patterns", format!("\"{text}\" is longer than {LONGEST_PATTERN} bytes")));
    }
    Pattern::parse(text).map_err(|e| refusal("patterns", format!("\"{text}\": {e}")))
}

fn hosts(key: &str, texts: &[String]) -> Result<HostList> {
    at_most(key, texts, MOST_NAMES)?;
    HostList::parse(texts).map_err(|e| refusal(key, e))
}

fn at_most(key: &str, list: &[String], most: usize) -> Result<()> {
    if list.len() > most {
        return Err(refusal(key, format!("{} entries are more than {most}", list.len())));
    }
    Ok(())
}

fn refusal(key: &str, reason: impl std::fmt::Display) -> Error {
    Error::new("config", format!("{key}: {reason}"))
}
