package runs

import "encoding/json"

// Document is a value in JSON that a store keeps as it is, and does not look into. Its text is valid JSON in UTF-8, and has at most
// [MaxDocument] bytes; nil, or an empty text, is not a value.
type Document = json.RawMessage

// MaxDocument is the maximum size of a document, in bytes.
const MaxDocument = 16 << 20
