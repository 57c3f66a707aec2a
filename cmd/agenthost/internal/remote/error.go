package remote

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/client"
)

// UsageError says what is wrong with a command line.
type UsageError struct{ problem string }

func (e *UsageError) Error() string { return e.problem }

// RunError says why a run failed, in the words of the server.
type RunError struct {
	Type    string `json:"error"` // such as "model_error"
	Message string `json:"message"`
}

func (e *RunError) Error() string {
	if e.Message == "" {
		return strings.TrimSuffix("the run failed: "+e.Type, ": ")
	}
	return e.Message
}

// ErrorType names the type of the error in documents.
func (e *RunError) ErrorType() string { return e.Type }

// explained says what to do about an answer of the server.
func explained(err error) error {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w; start it with 'agenthost serve', or correct the address", err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return &UsageError{"the server speaks HTTP without TLS; write http:// in place of https:// in its address"}
	}
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	switch refused.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return &UsageError{fmt.Sprintf("the server refuses: %v; put your key into the variable %s, or send what it wants with --header", refused, KeyVariable)}
	case http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusBadRequest:
		return &UsageError{"the server refuses: " + refused.Error()}
	default:
		return err
	}
}

// KeyVariable is the environment variable that has the key for the server.
const KeyVariable = "AGENTHOST_SERVER_KEY"

// errCancelledThere reports that somebody else stopped the run.
var errCancelledThere = errors.New("the run was cancelled at the server, or another run of the thread replaced it")

// statusError returns the error of a run that ended with this status.
func statusError(run *client.Run, reported *RunError) error {
	switch run.Status {
	case client.Failed:
		if reported == nil {
			reported = &RunError{Type: "error", Message: run.Error}
		}
		return reported
	case client.TimedOut:
		return errors.New("the run took longer than the server allows")
	case client.Interrupted:
		return errCancelledThere
	default:
		return nil
	}
}

// waits is the error of a run that would give up one that waits for an answer.
func waits(thread string) error { return fmt.Errorf("thread %q: %w", thread, host.ErrWaiting) }
