package backend

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Edit replaces a text in a file. Without All, the text must occur exactly once.
type Edit struct {
	Old, New string
	All      bool
}

// EditError is an edit that does not fit the content of the file. Its texts are written for the model and are deepagents'.
type EditError string

func (e EditError) Error() string { return string(e) }

// Apply returns the changed content and the number of replacements. In a file with the line endings \r\n, an edit with \n
// matches and writes \r\n.
func (e Edit) Apply(name string, content []byte) ([]byte, int, error) {
	if !isText(content) {
		return nil, 0, &Error{Path: name, Reason: Binary}
	}
	text, old, replacement := string(content), e.Old, e.New
	switch {
	case old == "":
		return nil, 0, EditError("old_string must not be empty; use write_file to write a whole file")
	case old == replacement:
		return nil, 0, EditError("old_string and new_string are the same")
	case !strings.Contains(text, old) && strings.Contains(text, "\r\n") && !strings.Contains(old, "\r"):
		old = strings.ReplaceAll(old, "\n", "\r\n")
		replacement = strings.ReplaceAll(strings.ReplaceAll(replacement, "\r\n", "\n"), "\n", "\r\n")
	}
	n := strings.Count(text, old)
	switch {
	case n == 0:
		return nil, 0, e.missing(text)
	case n > 1 && !e.All:
		return nil, 0, EditError(fmt.Sprintf("String '%s' appears %d times in file. Use replace_all=True to replace all instances, "+
			"or provide a more specific string with surrounding context.", e.Old, n))
	}
	if size := int64(len(text)) + int64(n)*int64(len(replacement)-len(old)); size > MaxFile {
		return nil, 0, &Error{Path: name, Reason: TooLarge, Size: size, Limit: MaxFile}
	}
	return []byte(strings.ReplaceAll(text, old, replacement)), n, nil
}

// missing explains why the text was not found.
func (e Edit) missing(text string) error {
	stripped, ends := strings.CutSuffix(e.Old, "\n")
	if !ends || stripped == "" || !strings.HasSuffix(text, stripped) {
		return EditError(fmt.Sprintf("String not found in file: '%s'", e.Old))
	}
	if n := strings.Count(text, stripped); n > 1 {
		return EditError(fmt.Sprintf("old_string ends with a newline, but the file does not end with a newline. With the trailing "+
			"newline removed, old_string would appear %d times in the file. Retry with the trailing newline removed and add "+
			"surrounding context so the match is unique.", n))
	}
	return EditError("old_string ends with a newline, but the file does not end with a newline. Retry with the trailing newline " +
		"removed from old_string (and from new_string if it also ends with a newline).")
}

// isText reports whether a content is valid UTF-8 without zero bytes.
func isText(content []byte) bool { return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 }
