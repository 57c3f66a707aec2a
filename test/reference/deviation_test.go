package reference_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeviations runs our own vectors in testdata/deviations. There is at least one for each deliberate difference
// from the reference, and its name begins with the letter of the difference.
func TestDeviations(t *testing.T) {
	t.Parallel()
	runFiles(t, deviations)
}

func deviationFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(deviations + "/*.json")
	require.NoError(t, err)
	return paths
}

func TestEveryDeviationHasAVector(t *testing.T) {
	t.Parallel()
	for letter := 'a'; letter <= 'm'; letter++ {
		require.NotEmpty(t, holding(t, string(letter)), "difference (%c)", letter)
	}
}

// holding returns the tests that check our behaviour in a difference.
func holding(t *testing.T, letter string) []string {
	t.Helper()
	var tests []string
	for _, path := range deviationFiles(t) {
		if name := filepath.Base(path); strings.HasPrefix(name, letter+"_") {
			tests = append(tests, "TestDeviations/"+strings.TrimSuffix(name, ".json"))
		}
	}
	return tests
}

var letterPattern = regexp.MustCompile(`^\(([a-m])\)`)

// unlettered recognizes a difference by its words, if a vector gives no letter.
var unlettered = map[string]string{
	"finished results": "l",
	"siblings":         "l",
	"corrected answer": "k",
	"last after_agent": "m",
}

// difference returns the letter of the difference that a vector names in skip_if_deviating, or "" if we do not deviate
// there.
func difference(text string) string {
	if match := letterPattern.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	for words, letter := range unlettered {
		if strings.Contains(text, words) {
			return letter
		}
	}
	return ""
}

// instead returns the tests that check our behaviour instead of a vector that names one of our differences. It returns
// "" if the vector should run.
func instead(t *testing.T, text string) string {
	t.Helper()
	letter := difference(text)
	if letter == "" {
		return ""
	}
	return "we differ here: " + text + "; our behaviour is held by " + strings.Join(holding(t, letter), ", ")
}

func TestDifference(t *testing.T) {
	t.Parallel()
	for text, letter := range map[string]string{
		"": "",
		"(h) an update of a field that nobody declared is an error":                                 "h",
		"a host that stores finished results at once keeps the answers of a failed call's siblings": "l",
		"(z) something else": "",
		"a host that (h)":    "",
	} {
		require.Equal(t, letter, difference(text), text)
	}
}
