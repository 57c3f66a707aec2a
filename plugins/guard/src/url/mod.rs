//! Links: which of a text lead to where none may lead.
//!
//! Read as browsers read them, since what renders the model's answer, and what fetches a link, is a browser's relative:
//! with backslashes, user names, percent signs and numbers in places where people expect none.

mod find;
mod host;
mod list;
mod punycode;

pub use find::Links;
pub use list::HostList;
