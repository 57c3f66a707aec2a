// Package older adds version 0.3 of the protocol to the server's door for other agents. It is a package of its own because it links gRPC, which
// makes a program 7.5 MB larger that does not have it already.
package older

import (
	"context"
	"errors"
	"net/http"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/agenthost/agenthost/server/a2a"
)

// New returns version 0.3, as the library has it.
func New() a2a.Older { return version{} }

type version struct{}

// RPC returns what answers calls of JSON-RPC.
func (version) RPC(s a2asrv.RequestHandler, options ...a2asrv.TransportOption) http.Handler {
	return a2av0.NewJSONRPCHandler(s, options...)
}

// Card returns a card that clients of this version and of the present one can read.
func (version) Card(ctx context.Context, card *protocol.AgentCard) ([]byte, error) {
	own, ok := a2av0.NewStaticAgentCardProducer(card).(a2asrv.AgentCardJSONProducer)
	if !ok {
		return nil, errNoJSON
	}
	return own.CardJSON(ctx)
}

var errNoJSON = errors.New("the library makes no card of version 0.3")
