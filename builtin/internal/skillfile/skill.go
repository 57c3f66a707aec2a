// Package skillfile reads the head of a SKILL.md. A skill is a directory with that file; its YAML frontmatter has the
// skill's name and says when to use it (https://agentskills.io/specification).
//
// Like deepagents, it is lenient: violations of the specification are warnings. Only a file without a name or a description
// is not a skill.
package skillfile

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

// The specification's bounds of a skill's texts, in characters.
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
)

// MaxHead is how much of a file is read, in bytes. The frontmatter must end within it.
const MaxHead = 64 << 10

// Longer texts are cut, because they are kept and shown. The specification does not have these bounds.
const (
	maxLongName = 4 * MaxName
	maxLicense  = 500
	maxTools    = 100
	maxMetadata = 100
)

// Skill is the head of a file.
type Skill struct {
	AllowedTools  []string          `msgpack:"allowed_tools,omitempty"` // recommended tools
	Compatibility string            `msgpack:"compatibility,omitempty"` // requirements
	Description   string            `msgpack:"description"`             // what it does and when to use it, on one line
	IncludeTools  []string          `msgpack:"include_tools,omitempty"` // tools that the agent gets with the skill
	License       string            `msgpack:"license,omitempty"`
	Metadata      map[string]string `msgpack:"metadata,omitempty"`
	Name          string            `msgpack:"name"`
	Path          string            `msgpack:"path"` // of the file
}

// Parse reads a file with the given path, or its first [MaxHead] bytes. Warnings are violations of the specification.
func Parse(name string, content []byte) (skill *Skill, warnings []string, err error) {
	head, err := frontmatter(content)
	if err != nil {
		return nil, nil, err
	}
	p := &parser{skill: &Skill{Path: name}}
	values := p.values(head)
	s := p.skill
	s.Name = text.OneLine(scalarText(values["name"]))
	s.Description = text.OneLine(scalarText(values["description"]))
	if s.Name == "" || s.Description == "" {
		return nil, p.warnings, errors.New("the frontmatter lacks a name or a description")
	}
	if why := misnamed(s.Name, path.Base(path.Dir(name))); why != "" {
		p.warnf("the name %.80q does not keep to the specification: %s", s.Name, why)
	}
	s.Name = text.First(s.Name, maxLongName)
	s.Description = p.cut("description", s.Description, MaxDescription)
	s.Compatibility = p.cut("compatibility", text.OneLine(scalarText(values["compatibility"])), MaxCompatibility)
	s.License = p.cut("license", text.OneLine(scalarText(values["license"])), maxLicense)
	s.AllowedTools = p.tools("allowed-tools", values["allowed-tools"])
	s.Metadata = p.metadata(values["metadata"])
	if metadata, ok := values["metadata"].(map[string]any); ok {
		s.IncludeTools = p.tools("metadata.include_tools", metadata["include_tools"])
	}
	return s, p.warnings, nil
}

// Body returns a file without its frontmatter: all of it if it has none.
func Body(content []byte) []byte {
	_, body, err := split(content)
	if err != nil {
		return content
	}
	return body
}

// frontmatter returns the text between the lines --- at the start of a file.
func frontmatter(content []byte) ([]byte, error) {
	head, _, err := split(content)
	if err == nil && !utf8.Valid(head) {
		return nil, errors.New("the frontmatter is not UTF-8 text")
	}
	return head, err
}

// split returns the text between the lines --- at the start of a file, and the text after it.
func split(content []byte) (head, body []byte, err error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	if !isFence(first) {
		return nil, nil, errors.New("it does not begin with frontmatter: YAML between two lines ---")
	}
	for at := 0; at <= len(rest); {
		line, after, more := bytes.Cut(rest[at:], []byte("\n"))
		if isFence(line) {
			return rest[:at], after, nil
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	if len(content) >= MaxHead {
		return nil, nil, fmt.Errorf("the frontmatter does not end within the first %d KiB", MaxHead>>10)
	}
	return nil, nil, errors.New("the frontmatter does not end with a line ---")
}

func isFence(line []byte) bool {
	dashes, found := bytes.CutPrefix(line, []byte("---"))
	return found && len(bytes.TrimSpace(dashes)) == 0
}

// misnamed explains why a name violates the specification; "" if it does not.
func misnamed(name, directory string) string {
	switch {
	case utf8.RuneCountInString(name) > MaxName:
		return fmt.Sprintf("it has more than %d characters", MaxName)
	case strings.HasPrefix(name, "-"), strings.HasSuffix(name, "-"), strings.Contains(name, "--"),
		strings.ContainsFunc(name, func(r rune) bool { return r != '-' && !unicode.IsLower(r) && !unicode.IsDigit(r) }):
		return "it has something else than lower-case letters, digits and single hyphens between them"
	case name != directory:
		return fmt.Sprintf("it is not that of its directory, %.80q", directory)
	}
	return ""
}
