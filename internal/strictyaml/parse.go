package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keptMark stands for a "?" that does not start a key. Between brackets and braces, the parser ends a text at every "?".
const keptMark = "\ufdd2"

// The parser takes U+2028 and U+2029 for line breaks, as YAML 1.1 did. It gets noncharacters of the same length instead.
var (
	hideSeparators = strings.NewReplacer("\u2028", "\ufdd0", "\u2029", "\ufdd1")
	showHidden     = strings.NewReplacer("\ufdd0", "\u2028", "\ufdd1", "\u2029", keptMark, "?")
)

// hide replaces the characters that the parser would misread.
func hide(text string) string {
	text = hideSeparators.Replace(text)
	var out strings.Builder
	for i := range len(text) {
		startsKey := (i == 0 || strings.IndexByte(" \t\n[{,", text[i-1]) >= 0) && (i+1 == len(text) || strings.IndexByte(" \t\n]},", text[i+1]) >= 0)
		if text[i] == '?' && !startsKey {
			out.WriteString(keptMark)
		} else {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// feed gives the parser one byte at a time and counts the bytes. When the parser fails, it has read little more than it needed.
type feed struct {
	text string
	read int
}

// Read implements [io.Reader].
func (f *feed) Read(into []byte) (int, error) {
	if f.read == len(f.text) {
		return 0, io.EOF
	}
	into[0] = f.text[f.read]
	f.read++
	return 1, nil
}

// parseDocuments returns the first two documents of a text, or an error and how many bytes the parser has read.
func parseDocuments(text string) (documents []*yaml.Node, read int, err error) {
	f := &feed{text: "\n" + hide(text)} // An error in the first line would have no line.
	for decoder := yaml.NewDecoder(f); len(documents) < 2 && err == nil; {
		document := &yaml.Node{}
		if err = decoder.Decode(document); err == nil {
			documents = append(documents, document)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	read = f.read - strings.Count(f.text[:f.read], keptMark)*(len(keptMark)-len("?"))
	return documents, max(read-1, 0), err
}

// parseText turns YAML into nodes. It returns the nodes that it could read and the problems, or nil if it could read nothing. The
// parser is not trusted: if it panics, that becomes a problem of the file.
func parseText(src *source, text string) (root *node, found problems) {
	defer func() {
		if cause := recover(); cause != nil {
			root = nil
			found.add(src.at(1, 1).problem("", fmt.Sprintf("the YAML parser failed: %v", cause), "remove half of the file to find the cause"))
		}
	}()
	if at, ok := directive(src); ok {
		found.add(at.problem("", "YAML directives are not supported", "remove the line, or quote a value that starts with %"))
		return nil, found
	}
	documents, read, err := parseDocuments(text)
	switch {
	case err != nil:
		found.add(syntaxProblem(src, text, read, err))
		return nil, found
	case len(documents) == 0:
		hint := ""
		if strings.TrimSpace(text) != "" {
			hint = "it contains only comments"
		}
		found.add(src.at(1, 1).problem("", "the file is empty", hint))
		return nil, found
	case len(documents) > 1:
		at := src.at(documents[1].Line-1, documents[1].Column)
		found.add(at.problem("", "a second YAML document starts here", "keep one document in each file"))
		return nil, found
	}
	c := converter{src: src, anchors: map[*yaml.Node]*node{}}
	root = c.convert(documents[0].Content[0], "", 0)
	if message := root.tooLarge(); message != "" && !c.stopped {
		c.stop(root.at, "", message)
	}
	if c.stopped {
		root = nil
	}
	return root, c.found
}

// directive finds a line that starts with % before the document. The parser does not show directives.
func directive(src *source) (position, bool) {
	for i, line := range src.lines {
		if strings.HasPrefix(line, "%") {
			return src.at(i+1, 1), true
		}
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			break
		}
	}
	return position{}, false
}
