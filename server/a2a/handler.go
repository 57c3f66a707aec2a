package a2a

import (
	"context"
	"net/http"
	"time"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// Config configures the door.
type Config struct {
	door.Config

	Store store.Store // keeps where clients want to be notified; nil: clients cannot be notified
	// CheckWebhook refuses an address that must not be notified; nil: clients cannot be notified.
	CheckWebhook func(address string) error
	// Ended is told of runs that end without being performed.
	Ended func(r *runs.Run)
	// Older is version 0.3 of the protocol, see package older; nil: clients must have version 1.0.
	Older Older
	// Secured says that requests need a credential, which the cards tell.
	Secured bool
}

// Older serves an older version of the protocol with what serves the present one.
type Older interface {
	RPC(s a2asrv.RequestHandler, options ...a2asrv.TransportOption) http.Handler
	// Card returns a card that clients of both versions can read.
	Card(ctx context.Context, card *protocol.AgentCard) ([]byte, error)
}

// Handler is the door.
type Handler struct {
	*door.Door

	store   store.Store
	check   func(address string) error
	ended   func(r *runs.Run)
	secured bool
	older   Older

	rpc, rest, olderRPC http.Handler // the library's transports, which call service; olderRPC may be nil
}

// New returns the door.
func New(config Config) *Handler {
	h := &Handler{store: config.Store, check: config.CheckWebhook, ended: config.Ended, secured: config.Secured, older: config.Older}
	h.Door = door.New(config.Config, h.routes(), fail, lost)
	s := &service{h}
	options := []a2asrv.TransportOption{a2asrv.WithTransportKeepAlive(h.heartbeat()), a2asrv.WithTransportPanicHandler(func(thrown any) error {
		panic(thrown) // the server answers it, and writes it to the log
	})}
	h.rpc, h.rest = a2asrv.NewJSONRPCHandler(s, options...), a2asrv.NewRESTHandler(s, options...)
	if h.older != nil {
		h.olderRPC = h.older.RPC(s, options...)
	}
	return h
}

func (h *Handler) heartbeat() time.Duration {
	if h.Heartbeat > 0 {
		return h.Heartbeat
	}
	return sse.DefaultHeartbeat
}

// pushes reports whether clients can be notified.
func (h *Handler) pushes() bool { return h.store != nil && h.check != nil }

// Patterns returns the patterns of all routes, as net/http has them.
func Patterns() []string { return door.Patterns((&Handler{}).routes()) }
