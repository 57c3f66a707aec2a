package settingname

import (
	"errors"
	"strings"
)

// The lines around the table in docs/models.md.
const (
	begin = "<!-- generated from internal/settingname by make generate -->\n"
	end   = "<!-- end of the generated part -->\n"
)

// Document returns the text of docs/models.md with the present table.
//
//go:generate go run ./gen
func Document(text string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", errors.New("settingname: the document has no lines around the generated table")
	}
	return before + begin + Markdown([]string{"openai", "anthropic", "gemini"}) + end + after, nil
}
