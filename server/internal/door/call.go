package door

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
)

// Call is a request that is being answered.
type Call struct {
	W         http.ResponseWriter
	R         *http.Request
	Principal auth.Principal
	Owner     string // of what the client may see and makes
}

func callOf(w http.ResponseWriter, r *http.Request) *Call {
	p, _ := auth.FromContext(r.Context())
	return &Call{W: w, R: r, Principal: p, Owner: p.Owner}
}

// Answer answers with a document.
func (c *Call) Answer(document any) error { return c.Finish(document, false) }

// Finish sends a document; begun says that a part of the answer was sent.
func (c *Call) Finish(document any, begun bool) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	if h := c.W.Header(); !begun {
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if _, err = c.W.Write(body); err != nil {
		access.Note(c.R.Context(), err)
	}
	return nil
}

// Done answers without a document.
func (c *Call) Done() error {
	c.W.WriteHeader(http.StatusNoContent)
	return nil
}
