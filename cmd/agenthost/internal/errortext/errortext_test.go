package errortext_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errGuest is the error of a guest that forges lines.
var errGuest error = guestError("boom\nError: something\n  $ fake\x1b[2J\n")

type guestError string

func (e guestError) Error() string { return string(e) }

const guestText = "boom\n  │ Error: something\n  │   $ fake\uFFFD[2J"

func TestOf(t *testing.T) {
	t.Parallel()
	problem := &strictyaml.Error{Problems: []strictyaml.Problem{{File: "a.yaml", Line: 1, Column: 1, Message: errGuest.Error(), Source: "x"}}}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"a line":              {errors.New("boom"), "boom"},
		"lines of a guest":    {errGuest, guestText},
		"in another error":    {fmt.Errorf("plugin: %w; sorry", errGuest), "plugin: boom\n  │ Error: something\n  │   $ fake\uFFFD[2J\n  │ ; sorry"},
		"with advice":         {errortext.Advise(errGuest, "  do this", "  or that"), guestText + "\n  do this\n  or that"},
		"advice twice":        {errortext.Advise(errortext.Advise(errGuest, "  one"), "  two"), guestText + "\n  one\n  two"},
		"advice in an error":  {fmt.Errorf("x: %w", errortext.Advise(errors.New("a"), "  b")), "x: a\n  │   b"},
		"laid out":            {errortext.LaidOut("a\nb\n  c", nil), "a\nb\n  c"},
		"a problem of a file": {problem, "a.yaml:1:1: boom\n  │ Error: something\n  │   $ fake\uFFFD[2J\n  1 | x\n    | ^"},
		"joined":              {errors.Join(errGuest, problem), guestText + "\na.yaml:1:1: boom\n  │ Error: something\n  │   $ fake\uFFFD[2J\n  1 | x\n    | ^"},
		"not joined":          {fmt.Errorf("%w and\n%w", errGuest, errGuest), "boom\n  │ Error: something\n  │   $ fake\uFFFD[2J\n  │  and\n  │ boom\n  │ Error: something\n  │   $ fake\uFFFD[2J"},
	} {
		require.Equal(t, test.want, errortext.Of(test.err), name)
	}
}

func TestCausesAreFound(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, errortext.Advise(errGuest, "x"), errGuest)
	require.ErrorIs(t, errortext.LaidOut("x", errGuest), errGuest)
	require.EqualError(t, errortext.Advise(errors.New("a"), "b", "c"), "a\nb\nc")
}
