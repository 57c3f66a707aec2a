package golden

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// Update writes the outcome into the file as the expected one, and reports whether that changed the file. It removes comments
// inside expect; the rest of the file stays byte for byte. It writes optional keys only if the case had them. It refuses a
// fault that the case does not expect, and a result that the host refused.
func (c *Case) Update(o *Outcome) (changed bool, err error) {
	if problems := o.problems(c.Expect.keys.Get("fault")); len(problems) > 0 {
		return false, errors.New("this cannot be written as expected: " + strings.Join(problems, "; "))
	}
	if len(c.Compare(o)) == 0 {
		return false, nil
	}
	text := c.rewritten(o)
	again, err := parse(c.Path, text)
	if err != nil {
		return false, fmt.Errorf("expect cannot be replaced at its place; write it as a block at the end of the file: %w", err)
	}
	if left := again.Compare(o); len(left) > 0 {
		return false, errors.New("expect cannot be written as YAML: " + strings.Join(left, "; "))
	}
	return true, os.WriteFile(c.Path, text, 0o644) //nolint:gosec // anybody may read a test file
}

// expected lists the keys in the order in which they are written.
var expected = []string{"result", "error", "next", "events", "store", "log", "fault", "fuel"}

// rewritten returns the file with another expect.
func (c *Case) rewritten(o *Outcome) []byte {
	block := []byte("expect:")
	for _, key := range expected {
		value := o.keys.Get(key)
		if value.IsZero() || slices.Contains(optional, key) && !c.Expect.keys.Has(key) {
			continue
		}
		block = append(append(append(block, "\n  "...), key...), ':')
		block = appendYAML(block, value, 4)
	}
	if len(block) == len("expect:") {
		block = append(block, " {}"...)
	}
	block = append(block, '\n')
	lines := bytes.SplitAfter(c.text, []byte("\n"))
	from, to := c.place(lines)
	out := bytes.Join(lines[:from], nil)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(append(out, block...), bytes.Join(lines[to:], nil)...)
}

// place returns the range of expect: its key and the indented lines below it. If the key is missing, the range is empty and
// at the end of the file.
func (c *Case) place(lines [][]byte) (from, to int) {
	key, given := c.root.Key("expect")
	if !given {
		return len(lines), len(lines)
	}
	from = key.Line() - 1
	to = from + 1
	for at := to; at < len(lines); at++ {
		line := bytes.TrimRight(lines[at], "\r\n")
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if line[0] != ' ' {
			break
		}
		to = at + 1
	}
	return from, to
}

// appendYAML appends a value after its key: collections as indented blocks, scalars as JSON.
func appendYAML(dst []byte, v wire.Raw, indent int) []byte {
	switch {
	case v.IsMap() && v.Len() > 0:
		for key, value := range v.Pairs() {
			dst = appendIndent(dst, indent)
			dst = appendYAML(append(appendKey(dst, string(key)), ':'), value, indent+2)
		}
		return dst
	case v.IsArray() && v.Len() > 0:
		for item := range v.Elements() {
			dst = append(appendIndent(dst, indent), '-')
			if !item.IsMap() || item.Len() == 0 {
				dst = appendYAML(dst, item, indent+2)
				continue
			}
			inner := appendYAML(nil, item, indent+2)
			dst = append(append(dst, ' '), bytes.TrimLeft(inner, "\n ")...) // the first key follows the dash
		}
		return dst
	default:
		return append(append(dst, ' '), v.JSON()...)
	}
}

func appendIndent(dst []byte, n int) []byte {
	dst = append(dst, '\n')
	return append(dst, strings.Repeat(" ", n)...)
}

// appendKey appends a key, quoted unless it is a plain word.
func appendKey(dst []byte, key string) []byte {
	plain := key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z')
	})
	switch key {
	case "true", "false", "null":
		plain = false
	}
	if plain {
		return append(dst, key...)
	}
	return append(dst, wire.String(key).JSON()...)
}
