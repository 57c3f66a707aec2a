package a2a

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// The paths below which the door answers.
const (
	CardPath = "/.well-known/agent-card.json"
	Path     = "/a2a/"
)

func (h *Handler) routes() []door.Route {
	out := []door.Route{ //nolint:prealloc // it is made once
		{Pattern: "GET " + CardPath, Serve: h.onlyCard, API: door.API(api("a2aCard", "Read the A2A card of the only agent"))},
		{Pattern: "GET /a2a/{agent}" + CardPath, Serve: h.ownCard, API: door.API(api("a2aAgentCard", "Read the A2A card of an agent"))},
		{
			Pattern: "POST /a2a/{agent}", Scope: auth.ScopeRuns, Serve: h.answerRPC,
			API: door.API(api("a2aCall", "Call a method of A2A by JSON-RPC").takes().streams()),
		},
	}
	for _, r := range []struct {
		method, path string
		api          description
	}{
		{"POST", "/message:send", api("a2aSend", "Send an agent a message, and wait for its task").takes()},
		{"POST", "/message:stream", api("a2aStream", "Send an agent a message, and follow its task").takes().streams()},
		{"GET", "/tasks", api("a2aTasks", "List the tasks of an agent")},
		{"GET", "/tasks/{task}", api("a2aTask", "Read a task, or follow it with :subscribe after its id").streams()},
		{"POST", "/tasks/{task}", api("a2aAct", "Cancel a task with :cancel after its id, or follow it with :subscribe").mayTake().streams()},
		{"GET", "/tasks/{task}/pushNotificationConfigs", api("a2aPushes", "List where a task's client is notified")},
		{"POST", "/tasks/{task}/pushNotificationConfigs", api("a2aPush", "Say where a task's client is notified").takes()},
		{"GET", "/tasks/{task}/pushNotificationConfigs/{config}", api("a2aReadPush", "Read where a task's client is notified")},
		{"DELETE", "/tasks/{task}/pushNotificationConfigs/{config}", api("a2aDeletePush", "Notify a task's client there no longer")},
		{"GET", "/extendedAgentCard", api("a2aExtended", "Read the extended card: there is none")},
	} {
		out = append(out, door.Route{Pattern: r.method + " /a2a/{agent}" + r.path, Scope: auth.ScopeRuns, Serve: h.answerREST, API: door.API(r.api)})
	}
	return out
}

// Describe adds all routes to the description of a server's API.
func Describe(d *openapi.Document) error {
	return door.Describe(d, (&Handler{}).routes(), func(o *openapi.Operation, method, path string) string {
		o.Tag, o.Failure = "A2A", reflect.TypeFor[any]()
		o.Errors = append(o.Errors, http.StatusPaymentRequired, http.StatusNotFound, http.StatusServiceUnavailable, http.StatusConflict)
		for name := range strings.SplitSeq(path, "/") {
			if name, ok := strings.CutPrefix(name, "{"); ok {
				o.Parameters = append(o.Parameters, openapi.Parameter{
					In: "path", Name: strings.TrimSuffix(name, "}"), Schema: openapi.Schema{"type": "string"},
				})
			}
		}
		if strings.HasSuffix(path, "/tasks") {
			for _, query := range []string{"contextId", "status", "pageSize", "pageToken", "historyLength", "statusTimestampAfter", "includeArtifacts"} {
				o.Parameters = append(o.Parameters, openapi.Parameter{In: "query", Name: query, Schema: openapi.Schema{"type": "string"}})
			}
		}
		if method == http.MethodGet && strings.HasSuffix(path, "/tasks/{task}") {
			o.Parameters = append(o.Parameters, openapi.Parameter{In: "query", Name: "historyLength", Schema: openapi.Schema{"type": "string"}})
		}
		return path
	})
}

// description is of what a route does, see [door.API].
type description door.API

// api describes an operation. What clients send and get is in the specification of the protocol.
func api(id, summary string) description {
	return description{{Operation: openapi.Operation{ID: id, Summary: summary, Answer: reflect.TypeFor[any]()}}}
}

func (d description) takes() description {
	d[0].Body = openapi.Body{Type: reflect.TypeFor[any]()}
	return d
}

func (d description) mayTake() description {
	d[0].Body = openapi.Body{Type: reflect.TypeFor[any](), Optional: true}
	return d
}

func (d description) streams() description {
	d[0].Stream = "The updates of the task, as the protocol has them"
	return d
}

// fail answers a call that failed before the binding was known.
func fail(c *door.Call, err error) {
	p := explain(c.R.Context(), err)
	note(c, p)
	if isRPC(c.R) {
		p.writeRPC(c.W, nil)
		return
	}
	p.writeREST(c.W)
}

// note adds to the log's line about a request why it failed.
func note(c *door.Call, p *problem) {
	if p.cause != nil {
		access.Note(c.R.Context(), p.cause)
	}
}

func isRPC(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.Count(strings.TrimSuffix(r.URL.Path, "/"), "/") == 2
}

// lost answers a call that no route takes.
func lost(c *door.Call, allowed []string) {
	if allowed == nil {
		fail(c, &problem{kind: a2a.ErrMethodNotFound, text: "Not Found", status: http.StatusNotFound})
		return
	}
	c.W.Header().Set("Allow", door.Allow(allowed))
	fail(c, &problem{kind: a2a.ErrMethodNotFound, text: "Method Not Allowed", status: http.StatusMethodNotAllowed})
}
