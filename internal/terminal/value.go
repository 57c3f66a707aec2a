package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/text"
)

// The layout of values, in characters.
const (
	compact  = 80   // a list or map of at most this length is shown on one line
	longLine = 1000 // how much of a long line is shown if lines are left out
)

// Value formats a value for people without loss: a map with a line for each key, a text of several lines line by line, and
// everything else as JSON with all invisible characters escaped. If most is positive, Value returns at most that many lines,
// which say what is left out, and reports whether anything is.
func Value(v wire.Raw, most int) (lines []string, whole bool) {
	switch {
	case !v.IsMap():
		lines = item("", v)
	case v.Len() == 0:
		lines = []string{"{}"}
	default:
		for key, value := range v.Pairs() {
			lines = append(lines, item(name(string(key))+":", value)...)
		}
	}
	return limited(lines, most)
}

// item formats a value after its name.
func item(name string, v wire.Raw) []string {
	if text, ok := v.AsString(); ok && readsAsLines(text) {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = bar + lines[i]
		}
		return append([]string{strings.TrimSpace(name + " |")}, lines...)
	}
	text := text.Escape(v.JSON(), hides)
	if (v.IsMap() || v.IsArray()) && len(text) > compact {
		lines := strings.Split(indented(text), "\n")
		for i := range lines {
			lines[i] = "  " + lines[i]
		}
		if name == "" {
			return lines
		}
		return append([]string{name}, lines...)
	}
	return []string{strings.TrimSpace(name + " " + text)}
}

// readsAsLines reports whether a text is shown line by line: it has several lines and no invisible characters.
func readsAsLines(text string) bool {
	return strings.Contains(text, "\n") && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && hides(r) })
}

func indented(text string) string {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
		return text
	}
	return out.String()
}

// name formats a key of a map.
func name(key string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if key != "" && !strings.ContainsFunc(key, func(r rune) bool { return !plain(r) }) {
		return key
	}
	return text.Escape(wire.String(key).JSON(), hides)
}

// limited shortens the lines and says what it left out.
func limited(lines []string, most int) (shown []string, whole bool) {
	if most <= 0 {
		return lines, true
	}
	more := len(lines) - most
	if more > 0 {
		lines = append(lines[:most:most], fmt.Sprintf("… %d more lines", more))
	}
	whole = more <= 0
	for i, line := range lines {
		if runes := []rune(line); len(runes) > longLine {
			lines[i] = fmt.Sprintf("%s… %d more characters", string(runes[:longLine]), len(runes)-longLine)
			whole = false
		}
	}
	return lines, whole
}
