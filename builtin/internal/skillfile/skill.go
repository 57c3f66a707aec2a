// Package skillfile reads the head of a SKILL.md: a skill is a directory with that file, whose frontmatter says in YAML what
// the skill is called and when it is of use (https://agentskills.io/specification).
//
// Reading is lenient, as deepagents does it: what does not keep to the specification is read all the same, with a warning.
// Only a file without a name or a description is no skill.
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

// The bounds of what a skill says of itself, in characters.
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
)

// MaxHead is how much of a file is looked at, in bytes: its frontmatter must end there.
const MaxHead = 64 << 10

// Beyond these bounds what a skill says of itself is cut, so that it stays small where it is kept and shown. The
// specification does not know them.
const (
	maxLongName = 4 * MaxName
	maxLicense  = 500
	maxTools    = 100
	maxMetadata = 100
)

// Skill is what the head of a file says.
type Skill struct {
	AllowedTools  []string          `msgpack:"allowed_tools,omitempty"` // that it recommends
	Compatibility string            `msgpack:"compatibility,omitempty"` // what it needs
	Description   string            `msgpack:"description"`             // what it does and when it is of use, on one line
	License       string            `msgpack:"license,omitempty"`
	Metadata      map[string]string `msgpack:"metadata,omitempty"`
	Name          string            `msgpack:"name"`
	Path          string            `msgpack:"path"` // of the file
}

// Parse reads a file, or as much of it as [MaxHead], whose path is given. Warnings say what does not keep to the
// specification.
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
		return nil, p.warnings, errors.New("the frontmatter has no name or no description")
	}
	if why := misnamed(s.Name, path.Base(path.Dir(name))); why != "" {
		p.warnf("the name %.80q does not keep to the specification: %s", s.Name, why)
	}
	s.Name = text.First(s.Name, maxLongName)
	s.Description = p.cut("description", s.Description, MaxDescription)
	s.Compatibility = p.cut("compatibility", text.OneLine(scalarText(values["compatibility"])), MaxCompatibility)
	s.License = p.cut("license", text.OneLine(scalarText(values["license"])), maxLicense)
	s.AllowedTools = p.tools(values["allowed-tools"])
	s.Metadata = p.metadata(values["metadata"])
	return s, p.warnings, nil
}

// frontmatter returns what stands between the lines --- at the beginning of a file.
func frontmatter(content []byte) ([]byte, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	if !isFence(first) {
		return nil, errors.New("it does not begin with a frontmatter: a line --- before the YAML and one behind it")
	}
	for at := 0; at <= len(rest); {
		line, _, more := bytes.Cut(rest[at:], []byte("\n"))
		if isFence(line) {
			if !utf8.Valid(rest[:at]) {
				return nil, errors.New("the frontmatter is not UTF-8 text")
			}
			return rest[:at], nil
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	if len(content) >= MaxHead {
		return nil, fmt.Errorf("the frontmatter does not end within the first %d KiB", MaxHead>>10)
	}
	return nil, errors.New("the frontmatter has no end: a line ---")
}

func isFence(line []byte) bool {
	dashes, found := bytes.CutPrefix(line, []byte("---"))
	return found && len(bytes.TrimSpace(dashes)) == 0
}

// misnamed says why a name does not keep to the specification; "" if it does.
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
