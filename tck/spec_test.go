package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agenthost/agenthost/tck/certify"
	"github.com/agenthost/agenthost/tck/hosts"
)

// list prints which tests cover each line of SPEC.md, and which lines no test covers:
//
//	go test ./tck -run TestEveryLineIsHeld -list-lines -v
var list = flag.Bool("list-lines", false, "print which tests cover each line of SPEC.md")

const specFile = "../abi/SPEC.md"

// line is a sentence or a row of a table of SPEC.md.
type line struct {
	heading    string
	text       string
	start, end int // positions in the whole text, with single spaces
}

var (
	fenced   = regexp.MustCompile("(?s)```.*?```")
	ruler    = regexp.MustCompile(`^\|[-| ]+\|$`)
	bullet   = regexp.MustCompile(`^(\* |\d+\. )`)
	sentence = regexp.MustCompile("([.!?])\\s+([A-Z*`0-9_−])")
	keyword  = regexp.MustCompile(`\b(MUST|SHOULD|MAY)\b`)
)

// readSpec returns the text of SPEC.md with single spaces and without examples, and its lines.
func readSpec(t *testing.T) (string, []line) {
	t.Helper()
	raw, err := os.ReadFile(specFile)
	require.NoError(t, err)
	source := strings.Split(fenced.ReplaceAllString(string(raw), "\n"), "\n")
	text := strings.Join(strings.Fields(strings.Join(source, "\n")), " ")
	var lines []line
	var paragraph []string
	heading, at := "", 0
	add := func(s string) {
		s = strings.Join(strings.Fields(s), " ")
		if i := strings.Index(text[at:], s); s != "" && i >= 0 {
			at += i
			lines = append(lines, line{heading, s, at, at + len(s)})
			at += len(s)
		}
	}
	flush := func() {
		joined := sentence.ReplaceAllString(strings.Join(paragraph, " "), "$1\x00$2")
		for s := range strings.SplitSeq(joined, "\x00") {
			add(s)
		}
		paragraph = nil
	}
	for i, s := range source {
		switch {
		case strings.HasPrefix(s, "#"):
			flush()
			heading = strings.TrimLeft(s, "# ")
		case ruler.MatchString(s), strings.HasPrefix(s, "|") && i+1 < len(source) && ruler.MatchString(source[i+1]):
			flush()
		case strings.HasPrefix(s, "|"):
			flush()
			add(s)
		case strings.TrimSpace(s) == "":
			flush()
		default:
			if bullet.MatchString(s) {
				flush()
			}
			paragraph = append(paragraph, bullet.ReplaceAllString(s, ""))
		}
	}
	flush()
	return text, lines
}

// held is a text of SPEC.md, and the tests that cover it.
type held struct {
	Says string   `yaml:"says"`
	By   []string `yaml:"by"`
	None string   `yaml:"none"` // why no test can cover it
}

// index returns the texts that are covered by checks of guests, by cases of hosts, and by the tests that spec.yaml
// lists.
func index(t *testing.T) []held {
	t.Helper()
	var all []held
	for _, check := range certify.Checks() {
		for _, s := range check.Says {
			all = append(all, held{Says: s, By: []string{"check " + check.ID}})
		}
	}
	cases, err := hosts.Cases()
	require.NoError(t, err)
	for i := range cases {
		for _, s := range cases[i].Says {
			all = append(all, held{Says: s, By: []string{"case " + cases[i].Name}})
		}
	}
	raw, err := os.ReadFile("spec.yaml")
	require.NoError(t, err)
	var listed []held
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&listed))
	for _, h := range listed {
		require.NotEqual(t, len(h.By) == 0, h.None == "", "either holders or a reason: %s", h.Says)
	}
	return append(all, listed...)
}

// TestEveryLineIsHeld shows that a test covers each table row of SPEC.md and each sentence with a keyword of RFC 2119.
// It also shows that every quotation is in SPEC.md.
func TestEveryLineIsHeld(t *testing.T) {
	t.Parallel()
	text, lines := readSpec(t)
	holders := make([][]string, len(lines))
	for _, h := range index(t) {
		says := strings.Join(strings.Fields(h.Says), " ")
		at := strings.Index(text, says)
		if at < 0 {
			t.Errorf("SPEC.md does not say, what %s holds: %s", strings.Join(h.By, ", "), says)
			continue
		}
		for ; at >= 0; at = nextIndex(text, says, at) {
			for i := range lines {
				const least = 8 // letters that a quotation and a line must have in common
				if by := h.By; min(at+len(says), lines[i].end)-max(at, lines[i].start) >= min(least, len(lines[i].text)) {
					if h.None != "" {
						by = []string{"nothing: " + h.None}
					}
					holders[i] = append(holders[i], by...)
				}
			}
		}
	}
	for i, l := range lines {
		if *list {
			fmt.Printf("%s | %s\n\t%s\n", l.heading, l.text, strings.Join(slices.Compact(slices.Sorted(slices.Values(holders[i]))), ", "))
		}
		if len(holders[i]) == 0 && (strings.HasPrefix(l.text, "|") || keyword.MatchString(l.text)) {
			t.Errorf("nothing holds this line of SPEC.md, %s: %s", l.heading, l.text)
		}
	}
}

// nextIndex finds the next occurrence of a text after a position.
func nextIndex(text, says string, at int) int {
	if i := strings.Index(text[at+len(says):], says); i >= 0 {
		return at + len(says) + i
	}
	return -1
}

// TestEveryHolderExists shows that the checks, cases and tests that spec.yaml names exist.
func TestEveryHolderExists(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, check := range certify.Checks() {
		known["check "+check.ID] = true
	}
	cases, err := hosts.Cases()
	require.NoError(t, err)
	for i := range cases {
		known["case "+cases[i].Name] = true
	}
	tests := map[string]map[string]bool{}
	for _, h := range index(t) {
		for _, by := range h.By {
			if known[by] {
				continue
			}
			dir, name, ok := strings.Cut(by, " ")
			require.True(t, ok, "%q is neither a check, nor a case, nor a directory and a test", by)
			if tests[dir] == nil {
				tests[dir] = testsOf(t, filepath.Join("..", dir))
			}
			require.True(t, tests[dir][name], "%s has no test %s", dir, name)
		}
	}
}

// testsOf returns the names of the tests in a directory.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no tests in %s", dir)
	names := map[string]bool{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
