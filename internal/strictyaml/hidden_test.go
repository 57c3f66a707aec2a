package strictyaml_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// withSecrets hides what is below headers, and every key that ends with key or password.
func withSecrets() strictyaml.Option {
	return strictyaml.WithSecrets(func(path []string, _ string) bool {
		return slices.ContainsFunc(path, func(key string) bool {
			return key == "headers" || strings.HasSuffix(key, "key") || strings.HasSuffix(key, "password")
		})
	})
}

func TestSecretsInTheFileDoNotShow(t *testing.T) {
	t.Parallel()
	type into struct {
		Name    string            `yaml:"name"`
		Headers map[string]string `yaml:"headers"`
		Key     int               `yaml:"key"`
		APIKey  string            `yaml:"api_key" strict:"enum=a|b"`
		Size    strictyaml.Size   `yaml:"size_key"`
		Other   string            `yaml:"other"`
	}
	var m into
	err := strictyaml.Decode("f", []byte(`
nmae: x
headers: {Authorization: 4711471147114711, X-Team: [sk-4711, b], X-Ok: "${SECRET}"} # c
key: sk-4711
api_key: 'sk-4711'
size_key: 4711ZB
other: [a]
pass_key: |
  sk-4711
  and more 4711
last: x
`), &m, withSecrets(), withEnvironment())
	requireError(t, err, `
f:2:1: unknown key "nmae"
  2 | nmae: x
    | ^
  did you mean "name"?
f:3:26: headers.Authorization: expected a string, found integer ***
  3 | headers: {Authorization: *** X-Team: [*** *** X-Ok: "${SECRET}"} # c
    |                          ^
  the value is not shown, because it may be a secret
f:3:52: headers.X-Team: expected a string, found a list
  3 | headers: {Authorization: *** X-Team: [*** *** X-Ok: "${SECRET}"} # c
    |                                      ^
f:4:6: key: expected an integer, found string "***"
  4 | key: ***
    |      ^
  the value is not shown, because it may be a secret
f:5:10: api_key: must be a or b, found "***"
  5 | api_key: ***
    |          ^
f:6:11: size_key: expected a size, found string "***"
  6 | size_key: ***
    |           ^
  the value is not shown, because it may be a secret
f:7:8: other: expected a string, found a list
  7 | other: [a]
    |        ^
f:8:1: unknown key "pass_key"
  8 | pass_key: ***
    | ^
  did you mean "api_key"?
f:11:1: unknown key "last"
  11 | last: x
     | ^
  valid keys: name, headers, key, api_key, size_key, other`)
}

// Errors of other code are searched for the secrets of the document.
func TestSecretsInTheFileDoNotShowInErrorsOfOthers(t *testing.T) {
	t.Parallel()
	root, err := strictyaml.Parse("f", []byte("headers: {A: 'sk-4711-long', B: 'x ${NAME}', C: assistant}\nname: x\nurl: https://me:pw-4711@h/?api_key=4711&a=b\n"),
		withSecrets(), withEnvironment())
	require.NoError(t, err)
	name, _ := root.Get("name")
	cause := errors.New("bad header sk-4711-long")
	given := name.Errorf("cannot use: %w", cause)
	require.EqualError(t, given, "f:2:7: name: cannot use: bad header ***\n  2 | name: x\n    |       ^")
	require.NotErrorIs(t, given, cause)
	require.ErrorContains(t, name.Errorf("assistant"), "${NAME}", "the name of a variable says more")
	address, _ := root.Get("url")
	require.EqualError(t, address.Errorf("https://me:pw-4711@h/ is down"), `f:3:6: url: https://me:***@h/ is down
  3 | url: https://me:***@h/?api_key=***&a=b
    |      ^`)
}

// A mistake in the syntax leaves no tree, so that secrets are guessed from the words in the lines.
func TestSecretsDoNotShowInSyntaxErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"headers:\n  Authorization: Bearer: sk-4711":    "  2 |   ***",
		"headers:\n  - sk-4711: : x":                    "",
		"api_key: \"sk-4711":                            "",
		"api_key: 'sk-4711' 'b'":                        "  1 | api_key: ***",
		"model: {api_key: sk-4711, b: [}":               "  1 | model: {api_key: ***",
		"model: {'api_key': sk-4711, b: ]}":             "",
		"password: !sk-4711":                            "  1 | password: ***",
		"password: *sk-4711":                            "  1 | password: ***",
		"password: !!int sk-4711":                       "  1 | password: ***",
		"password: @sk-4711":                            "",
		"a: b\npassword: `sk-4711":                      "",
		"api_key sk-4711\nb: c":                         "",
		"headers:\n\tAuthorization: sk-4711":            "",
		"headers: {\n  A: sk-4711\n  B: sk-4711":        "",
		"api_key: |\n    sk-4711\n  sk-4711: - sk-4711": "",
		"password: sk-4711\nb: [":                       "  2 | b: [",
		"headers:\n  A: \x01sk-4711":                    "  2 |   ***",
		"api_key: a\napi_key: sk-4711":                  "  2 | api_key: ***",
		"<<: {password: 1}\n<<: sk-4711-of-none\n":      "",
	} {
		err := decodeError(t, text, withSecrets())
		if !strings.Contains(text, "of-none") {
			require.NotContains(t, err.Error(), "4711", text)
		}
		require.Contains(t, err.Error(), want, text)
	}
}

func TestSecretsDoNotShowInAssignments(t *testing.T) {
	t.Parallel()
	for assignment, want := range map[string]string{
		"model.api_key=sk-4711":            `--set model.api_key=***: model: unknown key "api_key"`,
		"small.key=sk-4711":                "--set small.key=***",
		"model={api_key: sk-4711, b: c}":   "--set model={api_key: ***: model: unknown key",
		"model={api_key: sk-4711":          "--set model={api_key: ***",
		"model.api_key sk-4711":            `--set model.api_key ***: "=" and a value are missing`,
		"model..api_key=sk-4711":           "--set model..api_key=***: a key is missing",
		"headers[0]=sk-4711":               `--set headers[0]=***: unknown key "headers"`,
		"nam=https://me:4711@h?key=4711&b": "--set nam=https://me:***@h?key=***&b",
		"nam=x":                            "--set nam=x",
		"nam=the key is":                   "--set nam=the key is",
	} {
		err := decodeError(t, base, withSecrets(), strictyaml.WithSet([]string{assignment}))
		require.NotContains(t, err.Error(), "4711", assignment)
		require.Contains(t, err.Error(), want, assignment)
	}
	err := decodeError(t, "config: {api_key: sk-4711}\n", withSecrets(), strictyaml.WithSet([]string{"config.api_key.x=1"}))
	require.EqualError(t, err, `--set config.api_key.x=***: config.api_key: string "***" has no key "x"`)
}

// A key shared by an alias is as secret as the other places that use it.
func TestAliasesOfSecretsDoNotShow(t *testing.T) {
	t.Parallel()
	var into struct {
		Name int    `yaml:"name"`
		Key  string `yaml:"key"`
	}
	err := strictyaml.Decode("f", []byte("name: &a sk-4711\nkey: *a\n"), &into, withSecrets())
	requireError(t, err, `
f:1:10: name: expected an integer, found string "***"
  1 | name: &a ***
    |          ^
  the value is not shown, because it may be a secret`)
}

// Finding the secrets takes linear time.
func TestManySecrets(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("config:\n  x: &a sk-4711\n")
	for i := range 5_000 {
		fmt.Fprintf(&text, "  k%d: *a\n  key%d-key: sk-4711\n", i, i)
	}
	text.WriteString("nmae: x\n")
	err := decodeError(t, text.String(), withSecrets())
	require.NotContains(t, err.Error(), "4711")
	text.WriteString("  b: [\n")
	require.NotContains(t, decodeError(t, text.String(), withSecrets()).Error(), "4711")
}
