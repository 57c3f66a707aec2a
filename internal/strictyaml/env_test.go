package strictyaml_test

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// environment stands for the process environment.
func environment(name string) (string, bool) {
	value, ok := map[string]string{
		"NAME":    "assistant",
		"NUMBER":  "12",
		"SECRET":  "sk-live-4711",
		"SPACED":  " p@ss \"word\"\n",
		"SHORT":   "x1",
		"EMPTY":   "",
		"WINDOW":  "30s",
		"SIZE":    "64MiB",
		"BOOLEAN": "true",
		"YAML":    "a: b\n- c",
	}[name]
	return value, ok
}

func withEnvironment() strictyaml.Option { return strictyaml.WithEnv(environment) }

func TestExpansion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"${NAME}":                            "assistant",
		"my ${NAME}, ${NAME}!":               "my assistant, assistant!",
		"${NAME:-other}":                     "assistant",
		"${UNSET:-other one}":                "other one",
		"${EMPTY:-other}":                    "other",
		"a${EMPTY}b":                         "ab",
		"${UNSET:-}":                         "",
		"'${NAME}'":                          "assistant",
		`"${NAME}\t"`:                        "assistant\t",
		"|\n  Dear ${NAME},\n  it is $$5.\n": "Dear assistant,\nit is $5.\n",
		"$$${NAME}":                          "$assistant",
		"$${NAME}":                           "${NAME}",
		"costs $5, $NAME and 3$":             "costs $5, $NAME and 3$",
		"${YAML}":                            "a: b\n- c",
		"${NUMBER}":                          "12",
	} {
		require.Equal(t, want, decode(t, "name: "+text, withEnvironment()).Name, text)
	}
}

func TestExpansionReachesEveryStringButNoKey(t *testing.T) {
	t.Parallel()
	m := decode(t, "name: &a ${NAME}\nconfig: {\"${NAME}\": [\"${NAME}\", {x: *a}]}\n", withEnvironment())
	require.Equal(t, map[string]any{"${NAME}": []any{"assistant", map[string]any{"x": "assistant"}}}, m.Config)
}

func TestUnquotedVariableFitsTheTarget(t *testing.T) {
	t.Parallel()
	m := decode(t, "small: ${NUMBER}\nratio: ${UNSET:-0.5}\ndebug: ${BOOLEAN}\nwindow: '${WINDOW}'\nlimits:\n  memory: ${SIZE}\n  fuel: ${NUMBER}k\n",
		withEnvironment())
	require.Equal(t, int8(12), m.Small)
	require.InEpsilon(t, 0.5, m.Ratio, 0)
	require.True(t, m.Debug)
	require.Equal(t, 30*time.Second, m.Window)
	require.Equal(t, limits{64 << 20, 12000}, m.Limits)

	m = decode(t, "config: ${NUMBER}", withEnvironment())
	require.Equal(t, "12", m.Config, "a field of any type keeps the string")
}

func TestProblemsOfVariables(t *testing.T) {
	t.Parallel()
	err := decodeError(t, `
name: "a ${UNSET} and ${OTHER}"
system_prompt: |
  Hello,
  ${UNSET}!
tools: ["${1}", "${UNSET:-${NAME}}"]
`, withEnvironment())
	requireError(t, err, `
agenthost.yaml:2:10: name: the variable UNSET is not set
  2 | name: "a ${UNSET} and ${OTHER}"
    |          ^
  set it, or give a default: ${UNSET:-default}
agenthost.yaml:2:23: name: the variable OTHER is not set
  2 | name: "a ${UNSET} and ${OTHER}"
    |                       ^
  set it, or give a default: ${OTHER:-default}
agenthost.yaml:5:3: system_prompt: the variable UNSET is not set
  5 |   ${UNSET}!
    |   ^
  set it, or give a default: ${UNSET:-default}
agenthost.yaml:6:10: tools[0]: ${ does not start a variable
  6 | tools: ["${1}", "${UNSET:-${NAME}}"]
    |          ^
  write ${NAME} or ${NAME:-default}; write $$ for a single $
agenthost.yaml:6:18: tools[1]: a default cannot contain a variable
  6 | tools: ["${1}", "${UNSET:-${NAME}}"]
    |                  ^
  write ${NAME:-text}`)
}

func TestSecretsDoNotShowInProblems(t *testing.T) {
	t.Parallel()
	err := decodeError(t, `
small: ${SECRET}
port: "${NUMBER}"
ratio: ${SECRET}
debug: ${SECRET}
window: ${SECRET}
limits: {memory: "${SECRET}", fuel: "${NUMBER}KB"}
exit_behavior: ${SECRET}
tools: ${SECRET}
alert: ${SECRET}
middleware: ["${SECRET}"]
`, withEnvironment())
	requireError(t, err, `
agenthost.yaml:2:8: small: expected an integer, found string "${SECRET}"
  2 | small: ${SECRET}
    |        ^
  the value of the variable is not shown
agenthost.yaml:3:7: port: expected an integer, found string "${NUMBER}"
  3 | port: "${NUMBER}"
    |       ^
  the value of the variable is not shown
agenthost.yaml:4:8: ratio: expected a number, found string "${SECRET}"
  4 | ratio: ${SECRET}
    |        ^
  the value of the variable is not shown
agenthost.yaml:5:8: debug: expected true or false, found string "${SECRET}"
  5 | debug: ${SECRET}
    |        ^
  the value of the variable is not shown
agenthost.yaml:6:9: window: expected a duration, found string "${SECRET}"
  6 | window: ${SECRET}
    |         ^
  write a number and a unit (ns, us, ms, s, m, h): 30s, 1m30s
agenthost.yaml:7:18: limits.memory: expected a size, found string "${SECRET}"
  7 | limits: {memory: "${SECRET}", fuel: "${NUMBER}KB"}
    |                  ^
  write a whole number and a unit: 64MiB, 10MB, 512KiB
agenthost.yaml:7:37: limits.fuel: expected a count, found string "${NUMBER}KB"
  7 | limits: {memory: "${SECRET}", fuel: "${NUMBER}KB"}
    |                                     ^
  write a whole number, optionally followed by k, M, G or T: 10k, 1G
agenthost.yaml:8:16: exit_behavior: must be continue, end or error, found "${SECRET}"
  8 | exit_behavior: ${SECRET}
    |                ^
agenthost.yaml:9:8: tools: expected a list, found string "${SECRET}"
  9 | tools: ${SECRET}
    |        ^
  start every entry with "- " on a line of its own, or write [a, b]
agenthost.yaml:10:8: alert: expected a mapping, found string "${SECRET}"
  10 | alert: ${SECRET}
     |        ^
  the value of the variable is not shown
agenthost.yaml:11:14: middleware[0]: unknown middleware "${SECRET}"
  11 | middleware: ["${SECRET}"]
     |              ^`)

	err = decodeError(t, "small: ${BIG}\nport: ${BIG}\nwindow: ${LONG}\nlimits:\n  memory: ${BIG}GiB\n  fuel: ${NEGATIVE}\n", strictyaml.WithEnv(func(name string) (string, bool) {
		value, ok := map[string]string{"BIG": "47114711", "LONG": "4711h", "NEGATIVE": "-4711"}[name]
		return value, ok
	}))
	require.NotContains(t, err.Error(), "4711")
	require.Contains(t, err.Error(), "small: must be between -128 and 127, found ${BIG}")
	require.Contains(t, err.Error(), "window: must be at most 1h, found ${LONG}")
	require.Contains(t, err.Error(), "limits.memory: must be at most 1GiB, found ${BIG}GiB")
	require.Contains(t, err.Error(), "limits.fuel: a count must not be negative, found ${NEGATIVE}")
}

func TestSecretsDoNotShowInErrorsOfOthers(t *testing.T) {
	t.Parallel()
	root, err := strictyaml.Parse("f", []byte("name: Bearer ${SECRET}\nuser: ${SPACED}\ncode: ${SHORT}\n"), withEnvironment())
	require.NoError(t, err)
	at, _ := root.Get("name")
	var token string
	require.NoError(t, at.Decode(&token))
	require.Equal(t, "Bearer sk-live-4711", token)
	_, numberErr := strconv.Atoi("sk-live-4711")
	spaced, _ := environment("SPACED")

	for _, given := range []error{
		at.Errorf("cannot use %s", token),
		at.Errorf("cannot use %q: %w", token, numberErr),
		at.Errorf("get https://host/?key=%s", url.QueryEscape(token)),
		at.Errorf("user %q", spaced),
		at.Errorf("user %s|", spaced),
		at.Errorf("query ?user=%s", url.QueryEscape(spaced)),
		root.Errorf("code %s, [x1], x11, ax1", "x1"),
	} {
		for _, secret := range []string{"4711", "p@ss", "p%40ss", "code x1", "[x1]"} {
			require.NotContains(t, given.Error(), secret)
		}
		for cause := errors.Unwrap(given); cause != nil; cause = errors.Unwrap(cause) {
			require.NotContains(t, cause.Error(), "4711")
		}
		require.NotErrorIs(t, given, strconv.ErrSyntax, "an error that has the secret is not reachable either")
	}
	requireError(t, at.Errorf("cannot use %s", token), `
f:1:7: name: cannot use Bearer ${SECRET}
  1 | name: Bearer ${SECRET}
    |       ^`)
	require.Contains(t, root.Errorf("code %s, [x1], x11, ax1", "x1").Error(), "code ${SHORT}, [${SHORT}], x11, ax1")
}

type secretive string

func (s *secretive) UnmarshalStrict(n strictyaml.Node) error {
	if err := n.Decode((*string)(s)); err != nil {
		return err
	}
	_, err := url.Parse("://" + string(*s))
	return err
}

func TestSecretsDoNotShowInErrorsOfHooks(t *testing.T) {
	t.Parallel()
	var into struct {
		URL secretive `yaml:"url"`
	}
	err := strictyaml.Decode("f", []byte("url: ${SECRET}"), &into, withEnvironment())
	requireError(t, err, `
f:1:6: url: parse "://${SECRET}": missing protocol scheme
  1 | url: ${SECRET}
    |      ^`)
	var parseError *url.Error
	require.NotErrorAs(t, err, &parseError)
}

func TestNodesDoNotPrintTheirValue(t *testing.T) {
	t.Parallel()
	root, err := strictyaml.Parse("f", []byte("name: ${SECRET}"), withEnvironment())
	require.NoError(t, err)
	name, _ := root.Get("name")
	require.Equal(t, "f:1:7: name: string", name.String())
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(format, name), "4711")
		require.NotContains(t, fmt.Sprintf(format, struct{ N strictyaml.Node }{name}), "4711")
	}
	require.Equal(t, "no value", strictyaml.Node{}.String())
}

// A manifest names the file with its variables itself.
func TestExpandAfterParse(t *testing.T) {
	t.Parallel()
	root, err := strictyaml.Parse("agenthost.yaml", []byte("name: ${NAME}\nexit_behavior: $${UNSET}\nraw: ${UNSET}\nsmall: x\n"))
	require.NoError(t, err)
	node, _ := root.Get("name")
	var name string
	require.NoError(t, node.Decode(&name))
	require.Equal(t, "${NAME}", name)

	root, expandErr := root.Expand(environment)
	var m manifest
	requireError(t, strictyaml.Join(expandErr, root.Decode(&m)), `
agenthost.yaml:2:16: exit_behavior: must be continue, end or error, found "$${UNSET}"
  2 | exit_behavior: $${UNSET}
    |                ^
agenthost.yaml:3:6: raw: the variable UNSET is not set
  3 | raw: ${UNSET}
    |      ^
  set it, or give a default: ${UNSET:-default}
agenthost.yaml:4:8: small: expected an integer, found string "x"
  4 | small: x
    |        ^`)
	require.Equal(t, "assistant", m.Name)
	again, err := root.Expand(func(string) (string, bool) { return "again", true })
	require.NoError(t, err, "what is expanded is not expanded again")
	exit, _ := again.Get("exit_behavior")
	var text string
	require.NoError(t, exit.Decode(&text))
	require.Equal(t, "${UNSET}", text)
}

func TestExpansionIsBounded(t *testing.T) {
	t.Parallel()
	large := make([]byte, 1<<20)
	text := "[\"${X}\""
	for range 20 {
		text += ", \"${X}\""
	}
	var into any
	err := strictyaml.Decode("f", []byte(text+"]"), &into, strictyaml.WithEnv(func(string) (string, bool) { return string(large), true }))
	require.ErrorContains(t, err, "variables expand to more than 16MiB")
}
