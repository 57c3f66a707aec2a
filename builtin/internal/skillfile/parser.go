package skillfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/internal/text"
)

// parser reads one frontmatter.
type parser struct {
	skill    *Skill
	warnings []string
}

func (p *parser) warnf(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// values decodes YAML. Many descriptions contain a colon without quotes, which is invalid YAML; then each line is a key and
// its text.
func (p *parser) values(head []byte) map[string]any {
	var values map[string]any
	err := strictyaml.Decode("frontmatter", head, &values, strictyaml.WithMaxBytes(MaxHead))
	if err == nil {
		return values
	}
	p.warnf("the frontmatter is not valid YAML and is read line by line: %s", firstProblem(err))
	values = map[string]any{}
	for line := range strings.Lines(string(head)) {
		key, value, found := strings.Cut(line, ":")
		if !found || strings.ContainsAny(key, " \t\"'#{}[]") {
			continue
		}
		values[key] = unquoted(strings.TrimSpace(value))
	}
	return values
}

func firstProblem(err error) string {
	if problems, ok := errors.AsType[*strictyaml.Error](err); ok && len(problems.Problems) > 0 {
		first := problems.Problems[0]
		return fmt.Sprintf("line %d: %s", first.Line+1, first.Message) // the fence is a line of the file, too
	}
	return err.Error()
}

// unquoted removes surrounding quotes.
func unquoted(text string) string {
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}

// scalarText returns a scalar as text; "" for other values.
func scalarText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// cut shortens the value of a key, and warns if it had to.
func (p *parser) cut(key, value string, maximum int) string {
	short := text.First(value, maximum)
	if len(short) < len(value) {
		p.warnf("%s has more than %d characters and is cut", key, maximum)
	}
	return short
}

// tools reads the names under a key, with spaces or commas between them. A list, which the specification does not know, is taken
// too.
func (p *parser) tools(key string, value any) []string {
	var names []string
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		names = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	case []any:
		for _, item := range v {
			if name := text.OneLine(scalarText(item)); name != "" {
				names = append(names, name)
			}
		}
	default:
		p.warnf("%s is not a string and is ignored", key)
		return nil
	}
	if len(names) > maxTools {
		p.warnf("%s has more than %d names and is cut", key, maxTools)
		names = names[:maxTools]
	}
	for i := range names {
		names[i] = text.First(names[i], maxLongName)
	}
	return names
}

// metadata decodes a mapping. Its values become texts.
func (p *parser) metadata(value any) map[string]string {
	if value == nil {
		return nil
	}
	given, ok := value.(map[string]any)
	if !ok {
		p.warnf("metadata is not a mapping and is ignored")
		return nil
	}
	keys := slices.Sorted(maps.Keys(given))
	if len(keys) > maxMetadata {
		p.warnf("metadata has more than %d keys and is cut", maxMetadata)
		keys = keys[:maxMetadata]
	}
	out := make(map[string]string, len(keys))
	for _, key := range keys {
		out[text.First(key, maxLongName)] = text.First(scalarText(given[key]), MaxDescription)
	}
	return out
}
