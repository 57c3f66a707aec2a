package builtin_test

import (
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

type timed struct {
	Delay builtin.Seconds `yaml:"delay"`
}

func TestSecondsAreDecoded(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(stringPattern(t))
	for text, want := range map[string]time.Duration{
		"0": 0, "2": 2 * time.Second, "0.25": 250 * time.Millisecond, "-1": -time.Second, "1e3": 1000 * time.Second,
		`"1.5s"`: 1500 * time.Millisecond, "90s": 90 * time.Second, "1h2m3s": time.Hour + 2*time.Minute + 3*time.Second, `"5us"`: 5 * time.Microsecond,
		`"0"`: 0, `"-2m"`: -2 * time.Minute, "1e300": math.MaxInt64, "-1e300": math.MinInt64,
	} {
		var into timed
		require.NoError(t, strictyaml.Decode("x.yaml", []byte("delay: "+text), &into), text)
		require.Equal(t, want, into.Delay.Duration(), text)
		if text[0] == '"' {
			require.Regexp(t, pattern, text[1:len(text)-1])
		}
	}
}

func TestSecondsThatAreNone(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(stringPattern(t))
	for _, text := range []string{"true", "[1]", "{a: 1}", "soon", `""`, `"1"`, "1 s", "5d"} {
		err := strictyaml.Decode("x.yaml", []byte("delay: "+text), &timed{})
		require.ErrorContains(t, err, "x.yaml:1:8: delay", text)
		require.ErrorContains(t, err, "duration", text)
		require.NotRegexp(t, pattern, text)
	}
}

func TestSecondsAreText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1.5s", builtin.Seconds(1.5).String())
	require.Zero(t, builtin.Seconds(math.NaN()).Duration())
}

// stringPattern is what the schema says of times that are strings.
func stringPattern(t *testing.T) string {
	t.Helper()
	forms, ok := builtin.Seconds(0).JSONSchema()["oneOf"].([]any)
	require.True(t, ok)
	require.Len(t, forms, 2)
	require.Equal(t, map[string]any{"type": "number"}, forms[0])
	form, ok := forms[1].(map[string]any)
	require.True(t, ok)
	pattern, ok := form["pattern"].(string)
	require.True(t, ok)
	return pattern
}
