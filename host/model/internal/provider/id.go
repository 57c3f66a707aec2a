package provider

import "encoding/json"

// ID is the id of an answer or of a call in a response. Some servers send a number, which becomes a text with the same digits.
type ID string

// UnmarshalJSON reads a string or a number.
func (i *ID) UnmarshalJSON(text []byte) error {
	var number json.Number // of the digits as they are written: an id may be too large for a float
	if text[0] != '"' && json.Unmarshal(text, &number) == nil && number != "" {
		*i = ID(number)
		return nil
	}
	return json.Unmarshal(text, (*string)(i))
}
