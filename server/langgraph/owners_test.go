package langgraph_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/langgraph"
)

const (
	annsKey = "ann-0123456789abcdef"
	bobsKey = "bob-0123456789abcdef"
)

// keys is a serve.yaml with two owners, and a key of one of them for each scope alone.
func keys() string {
	line := func(key, owner, scopes string) string {
		sum := sha256.Sum256([]byte(key))
		return fmt.Sprintf("    - {sha256: %s, owner: %s, scopes: [%s]}\n", hex.EncodeToString(sum[:]), owner, scopes)
	}
	out := "auth:\n  keys:\n" + line(annsKey, "ann", "admin") + line(bobsKey, "bob", "admin") + line(carolsKey, "carol", "admin")
	for _, scope := range []string{"threads", "runs", "store", "assistants:write"} {
		out += line(only(scope), "ann", "\""+scope+"\"")
	}
	return out
}

func only(scope string) string { return "only-0123456789-" + scope }

// marked is in everything that belongs to ann.
const marked = "anns-secret"

// property makes one row of each kind for ann, and returns the values of path parameters that name them.
func property(r *rig) map[string]string {
	ann := r.as(annsKey)
	metadata := doc{"note": marked}
	thread := textIn(ann.object("POST", "/threads", doc{"metadata": metadata})["thread_id"])
	run := textIn(ann.object("POST", "/threads/"+thread+"/runs", doc{"assistant_id": "agent", "input": human(marked), "metadata": metadata})["run_id"])
	ann.get("GET", "/threads/"+thread+"/runs/"+run+"/join", nil)
	assistant := textIn(ann.object("POST", "/assistants", doc{"graph_id": "agent", "name": marked, "metadata": metadata})["assistant_id"])
	cron := textIn(ann.object("POST", "/threads/"+thread+"/runs/crons", doc{
		"assistant_id": "agent", "schedule": "0 0 1 1 *", "input": human(marked), "metadata": metadata,
	})["cron_id"])
	ann.get("PUT", "/store/items", doc{"namespace": []string{"n"}, "key": "k", "value": metadata})
	return map[string]string{"thread": thread, "run": run, "assistant": assistant, "cron": cron, "checkpoint": "1", "what": "join", "namespace": "x"}
}

// bodies are requests that would do something with ann's rows, by the ends of their patterns.
func bodies(ids map[string]string) doc {
	run := doc{"assistant_id": ids["assistant"], "input": human("hi")}
	inThread := doc{"assistant_id": "agent", "input": human("hi")}
	return doc{
		"POST /assistants": doc{"graph_id": "agent"}, "PATCH /assistants/{assistant}": doc{"name": "mine"},
		"POST /assistants/{assistant}/latest": doc{"version": 1}, "POST /threads": doc{},
		"POST /threads/search": doc{"ids": []string{ids["thread"]}}, "POST /threads/prune": doc{"thread_ids": []string{ids["thread"]}},
		"PATCH /threads/{thread}": doc{"metadata": doc{"mine": true}}, "POST /threads/{thread}/state": doc{"values": human("mine")},
		"POST /threads/{thread}/state/checkpoint": doc{"checkpoint": doc{"checkpoint_id": "1"}},
		"POST /threads/{thread}/runs":             inThread, "POST /threads/{thread}/runs/stream": inThread, "POST /threads/{thread}/runs/wait": inThread,
		"POST /threads/{thread}/commands":      doc{"id": 1, "method": "input.respond", "params": doc{"interrupt_id": "ask-1-1", "response": 1}},
		"POST /threads/{thread}/stream/events": doc{"channels": []string{"values", "messages"}},
		"POST /runs":                           run, "POST /runs/stream": run, "POST /runs/wait": run, "POST /runs/batch": []any{run},
		"POST /runs/cancel":                 doc{"thread_id": ids["thread"], "run_ids": []string{ids["run"]}},
		"POST /runs/crons":                  doc{"assistant_id": ids["assistant"], "schedule": "@daily"},
		"POST /threads/{thread}/runs/crons": doc{"assistant_id": "agent", "schedule": "@daily"},
		"PATCH /runs/crons/{cron}":          doc{"enabled": false}, "PUT /store/items": doc{"namespace": []string{"n"}, "key": "k", "value": doc{"mine": true}},
		"DELETE /store/items": doc{"namespace": []string{"n"}, "key": "k"}, "POST /store/items/search": doc{"namespace_prefix": []string{}},
	}
}

// fill returns the method and the path of a pattern.
func fill(pattern string, ids map[string]string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	for name, id := range ids {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
	}
	if pattern == "GET /store/items" {
		path += "?namespace=n&key=k"
	}
	return method, path
}

// state returns all that ann has.
func state(r *rig, ids map[string]string) string {
	ann := r.as(annsKey)
	return string(must(json.Marshal([]any{
		ann.get("GET", "/threads/"+ids["thread"], nil), ann.get("POST", "/threads/"+ids["thread"]+"/history", nil),
		ann.get("GET", "/threads/"+ids["thread"]+"/runs", nil),
		ann.get("GET", "/assistants/"+ids["assistant"], nil), ann.get("GET", "/runs/crons/"+ids["cron"], nil), ann.get("GET", "/store/items?namespace=n&key=k", nil),
		ann.get("POST", "/runs/crons/search", nil), ann.get("POST", "/threads/search", nil), ann.get("POST", "/assistants/search", nil),
	})))
}

// A stranger walks every endpoint with ids of somebody else: nothing of it is seen, and nothing changes.
func TestAStrangerFindsNothing(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ids := property(r)
	before := state(r, ids)
	requests := bodies(ids)
	bob := r.as(bobsKey)
	named := 0
	for _, pattern := range langgraph.Patterns() {
		method, path := fill(pattern, ids)
		if path == "/threads/"+ids["thread"]+"/stream" {
			path += "?stream_mode=run_modes" // it would stay open if it were answered
		}
		response := bob.send(t.Context(), method, path, requests[pattern])
		text, err := io.ReadAll(response.body)
		require.NoError(t, err)
		require.NoError(t, response.body.Close())
		require.NotContains(t, string(text), marked, pattern)
		foreign := func(kind string) bool { return strings.Contains(path, ids[kind]) }
		if foreign("thread") || foreign("cron") || foreign("run") || foreign("assistant") {
			named++
			require.Equal(t, http.StatusNotFound, response.status, "%s: %s", pattern, text)
		}
		require.Less(t, response.status, 500, "%s: %s", pattern, text)
	}
	require.Greater(t, named, 25)
	require.Equal(t, before, state(r, ids))

	own := bob.object("POST", "/threads", doc{"thread_id": ids["thread"], "if_exists": "do_nothing"})
	require.Empty(t, own["metadata"], "an id that somebody else uses is free for one's own")
	require.Nil(t, own["values"])
	require.Equal(t, before, state(r, ids))
}

func TestScopes(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ids := property(r)
	requests := bodies(ids)
	for _, pattern := range langgraph.Patterns() {
		_, path := fill(pattern, ids)
		method, _, _ := strings.Cut(pattern, " ")
		allowed := map[string]bool{}
		for _, scope := range []string{"threads", "runs", "store", "assistants:write"} {
			if method == http.MethodDelete || strings.HasSuffix(path, "/stream") || strings.HasSuffix(pattern, "/prune") {
				continue // they end what the others need, or wait
			}
			response := r.as(only(scope)).send(t.Context(), method, path, requests[pattern])
			require.NoError(t, response.body.Close())
			allowed[scope] = response.status != http.StatusForbidden
		}
		switch {
		case len(allowed) == 0:
		case strings.HasSuffix(pattern, "/costs/owners"):
			require.Equal(t, map[string]bool{"threads": false, "runs": false, "store": false, "assistants:write": false}, allowed, pattern)
		case strings.Contains(pattern, "/runs"), strings.HasSuffix(pattern, "/commands"), strings.HasSuffix(pattern, "/stream/events"):
			require.Equal(t, map[string]bool{"threads": false, "runs": true, "store": false, "assistants:write": false}, allowed, pattern)
		case strings.Contains(pattern, "/threads"):
			require.Equal(t, map[string]bool{"threads": true, "runs": false, "store": false, "assistants:write": false}, allowed, pattern)
		case strings.Contains(pattern, "/store"):
			require.Equal(t, map[string]bool{"threads": false, "runs": false, "store": true, "assistants:write": false}, allowed, pattern)
		case pattern == "POST /assistants", strings.HasPrefix(pattern, "PATCH"), strings.HasSuffix(pattern, "/latest"):
			require.Equal(t, map[string]bool{"threads": false, "runs": false, "store": false, "assistants:write": true}, allowed, pattern)
		default:
			require.Equal(t, map[string]bool{"threads": true, "runs": true, "store": true, "assistants:write": true}, allowed, pattern)
		}
	}
}

func TestWithoutAKey(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()+"\nlimits: {failed_logins: 1000}")
	open := 0
	for _, pattern := range langgraph.Patterns() {
		method, path := fill(pattern, map[string]string{"thread": "x", "run": "x", "assistant": "x", "cron": "x", "checkpoint": "x", "what": "x", "namespace": "x"})
		for _, key := range []string{"", "wrong-0123456789abcdef"} {
			response := r.as(key).send(t.Context(), method, path, nil)
			require.NoError(t, response.body.Close())
			if path == "/ok" || path == "/info" {
				open++
				require.Equal(t, http.StatusOK, response.status)
				continue
			}
			require.Equal(t, http.StatusUnauthorized, response.status, pattern)
		}
	}
	require.Equal(t, 4, open)
}

func TestWrongKeysAreLimited(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()+"\nlimits: {failed_logins: 2}")
	ask := func(key string) *reply {
		response := r.as(key).send(t.Context(), "GET", "/threads/x", nil)
		require.NoError(t, response.body.Close())
		return response
	}
	require.Equal(t, http.StatusUnprocessableEntity, ask(annsKey).status)
	require.Equal(t, http.StatusUnauthorized, ask("wrong-0123456789abcdef").status)
	require.Equal(t, http.StatusUnauthorized, ask("wrong-1123456789abcdef").status)
	refused := ask("wrong-2123456789abcdef")
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	require.Equal(t, http.StatusTooManyRequests, ask(bobsKey).status, "it is new here")
	require.Equal(t, http.StatusUnprocessableEntity, ask(annsKey).status)
}

// A key that may change assistants, and not threads, must not delete threads with an assistant.
func TestDeletingThreadsWithAnAssistantNeedsTheScopeOfThreads(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ids := property(r)
	at := "/assistants/" + ids["assistant"]
	r.as(only("assistants:write")).refused(http.StatusForbidden, "DELETE", at+"?delete_threads=true", nil)
	r.as(annsKey).get("GET", at, nil)
	r.as(only("assistants:write")).get("DELETE", at, nil)
}

// Health checks are often HEAD requests.
func TestOpenPathsAnswerHEAD(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	for _, path := range []string{"/", "/ok", "/info", "/healthz", "/readyz", "/openapi.json"} {
		response := r.send(t.Context(), http.MethodHead, path, nil)
		require.NoError(t, response.body.Close())
		require.Equal(t, http.StatusOK, response.status, path)
	}
	response := r.send(t.Context(), http.MethodHead, "/threads/x", nil)
	require.NoError(t, response.body.Close())
	require.Equal(t, http.StatusUnauthorized, response.status)
}
