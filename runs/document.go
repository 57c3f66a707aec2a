package runs

import "encoding/json"

// Document is a value in JSON that a store keeps as it is, and does not look into. Its text is valid JSON; nil is no value.
type Document = json.RawMessage

// Metadata is what clients note about a row: an object of JSON values as [encoding/json] decodes them.
type Metadata map[string]any
