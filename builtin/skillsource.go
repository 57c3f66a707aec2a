package builtin

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

// SkillSource is a directory of skills. In a manifest it is a path, or a mapping with both keys.
type SkillSource struct {
	// Path is the absolute path below root.
	Path string `yaml:"path"`
	// Label names the directory in the prompt, before the word "Skills"; it has at most 100 characters. "": a name from the path: the
	// last part, or the part before it if the last one is "skills".
	Label string `yaml:"label"`
}

// maxSkillLabel is the length of the longest label, in characters.
const maxSkillLabel = 100

// UnmarshalYAML decodes either form.
func (s *SkillSource) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	switch form.(type) {
	case string:
		return decode(&s.Path)
	case map[string]any:
		type fields SkillSource
		return decode((*fields)(s))
	default:
		return errors.New("a source is a path, or a mapping such as {path: /skills, label: Team}")
	}
}

// JSONSchema describes both forms.
func (SkillSource) JSONSchema() map[string]any {
	return map[string]any{"oneOf": []any{
		map[string]any{"type": "string", "description": "The absolute path of the directory, below root"},
		map[string]any{"type": "object", "additionalProperties": false, "required": []string{"path"}, "properties": map[string]any{
			"path":  map[string]any{"type": "string", "description": "The absolute path of the directory, below root"},
			"label": map[string]any{"type": "string", "description": "The name of the directory in the prompt", "maxLength": maxSkillLabel},
		}},
	}}
}

// cleanSources checks the sources and gives each a label.
func cleanSources(given []SkillSource) ([]SkillSource, error) {
	paths := make([]string, len(given))
	for i := range given {
		paths[i] = given[i].Path
	}
	clean, err := cleanPaths("sources", "/skills", paths)
	if err != nil {
		return nil, err
	}
	sources := make([]SkillSource, len(given))
	for i := range given {
		label := text.OneLine(given[i].Label)
		switch {
		case utf8.RuneCountInString(label) > maxSkillLabel:
			return nil, fmt.Errorf("sources[%d]: the label has more than %d characters", i, maxSkillLabel)
		case label == "":
			label = skillLabel(clean[i])
		}
		sources[i] = SkillSource{clean[i], label}
	}
	return sources, nil
}

// skillLabel returns the label of a clean path, as deepagents makes it.
func skillLabel(name string) string {
	if name == "/" {
		return "Unnamed"
	}
	leaf, parent := path.Base(name), strings.TrimLeft(path.Base(path.Dir(name)), ".")
	switch {
	case strings.EqualFold(leaf, "built_in_skills"):
		return "Built-in"
	case strings.EqualFold(leaf, "skills") && parent != "" && parent != "/":
		return titled(strings.NewReplacer("_", " ", "-", " ").Replace(parent))
	}
	first, size := utf8.DecodeRuneInString(leaf)
	return string(unicode.ToUpper(first)) + strings.ToLower(leaf[size:])
}

// titled returns a text in which each word begins with a capital letter and has no other.
func titled(words string) string {
	inside := false
	return strings.Map(func(r rune) rune {
		begins := unicode.IsLetter(r) && !inside
		inside = unicode.IsLetter(r)
		if begins {
			return unicode.ToTitle(r)
		}
		return unicode.ToLower(r)
	}, words)
}
