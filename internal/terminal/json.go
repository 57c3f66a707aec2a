package terminal

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// PrintLine prints a document as one line of JSON. Characters that would control a terminal are escaped, so nothing is lost.
func PrintLine(w io.Writer, doc any) error {
	encoded, err := encode(doc, "")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text.Escape(encoded, text.Steers)+"\n")
	return err
}

// PrintDocument prints a document as indented JSON, with the same escapes.
func PrintDocument(w io.Writer, doc any) error {
	encoded, err := encode(doc, "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text.Escape(encoded, func(r rune) bool { return r != '\n' && text.Steers(r) })+"\n")
	return err
}

func encode(doc any, indent string) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	err := encoder.Encode(doc)
	return strings.TrimSuffix(out.String(), "\n"), err
}
