package golden

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/yamltext"
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
		block = yamltext.Append(block, value, 4)
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
	return from, yamltext.Block(lines, from, 0)
}
