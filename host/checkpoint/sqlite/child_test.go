package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// What changes a whole process, such as its user, is tried in another one: the test binary again, which does what the
// variable names and writes down the errors that it met.
const childVariable = "AGENTHOST_SQLITE_CHILD"

// errands are what a child can do with a file: the errors, in order.
var errands = map[string]func(path string) []error{}

func TestMain(m *testing.M) {
	name := os.Getenv(childVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	var met []met
	for _, err := range errands[name](os.Args[1]) {
		met = append(met, meeting(err))
	}
	if err := json.NewEncoder(os.Stdout).Encode(met); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// met is an error that a child met.
type met struct {
	Text string `json:"text"` // "": there was none
	Is   string `json:"is"`   // the name of what it is in package checkpoint
}

var sentinels = map[string]error{
	"ErrReadOnly": checkpoint.ErrReadOnly, "ErrFull": checkpoint.ErrFull, "ErrLocked": checkpoint.ErrLocked,
	"ErrUnavailable": checkpoint.ErrUnavailable, "ErrCorrupt": checkpoint.ErrCorrupt, "ErrNewer": checkpoint.ErrNewer,
}

func meeting(err error) met {
	if err == nil {
		return met{}
	}
	m := met{Text: err.Error()}
	for name, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			m.Is += name
		}
	}
	return m
}

// child lets another process do an errand.
func child(t *testing.T, errand, path string) (all []met) {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), binary, path)
	command.Env = append(os.Environ(), childVariable+"="+errand)
	command.Stderr = os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &all))
	return all
}
