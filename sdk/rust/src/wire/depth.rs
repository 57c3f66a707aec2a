use super::{Reader, Token};

/// The maximum nesting of arrays and maps in a document of a guest.
const MAX_DOCUMENT_DEPTH: usize = 64;

/// Reports whether a well-formed document nests more deeply than a document of a guest may. A short document is not read.
pub(crate) fn is_too_deep(document: &[u8]) -> bool {
    if document.len() <= MAX_DOCUMENT_DEPTH {
        return false; // each level takes a byte
    }
    let mut left = [0usize; MAX_DOCUMENT_DEPTH + 1]; // values still to come in each open array or map
    let mut depth = 0;
    let mut reader = Reader::new(document);
    while let Ok(token) = reader.token() {
        let inside = match token {
            Token::Str(n) | Token::Bin(n) => {
                if reader.take(n).is_err() {
                    return false;
                }
                None
            }
            Token::Array(n) => Some(n),
            Token::Map(n) => Some(2 * n),
            _ => None,
        };
        if let Some(n) = inside {
            if depth == MAX_DOCUMENT_DEPTH {
                return true;
            }
            depth += 1;
            left[depth] = n + 1;
        }
        while depth > 0 {
            left[depth] -= 1;
            if left[depth] > 0 {
                break;
            }
            depth -= 1;
        }
    }
    false
}
