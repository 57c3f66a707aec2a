package langgraph_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/langgraph"
)

const carolsKey = "carol-0123456789abcdef"

// places are fields of bodies in which an id or a name of somebody else's row can stand, as {kind}. Each is used with every endpoint.
var places = []doc{
	{"thread_id": "{thread}"},
	{"thread_ids": []any{"{thread}"}},
	{"ids": []any{"{thread}", "{run}"}},
	{"run_ids": []any{"{run}"}},
	{"run_id": "{run}"},
	{"assistant_id": "{assistant}"},
	{"graph_id": "{assistant}"},
	{"cron_id": "{cron}"},
	{"checkpoint_id": "{checkpoint}"},
	{"checkpoint": doc{"thread_id": "{thread}", "checkpoint_id": "{checkpoint}", "checkpoint_ns": ""}},
	{"before": doc{"configurable": doc{"thread_id": "{thread}", "checkpoint_id": "{checkpoint}"}}},
	{"config": doc{"configurable": doc{"thread_id": "{thread}", "checkpoint_id": "{checkpoint}", "assistant_id": "{assistant}", "run_id": "{run}"}}},
	{"context": doc{"thread_id": "{thread}", "user_id": "ann", "owner": "ann"}},
	{"metadata": doc{"note": "{note}"}},
	{"metadata": doc{"owner": "ann", "thread_id": "{thread}"}},
	{"values": doc{"note": "{note}"}},
	{"command": doc{"resume": doc{"{run}": true}}},
	{"command": doc{"update": doc{"messages": "{note}"}, "goto": "model"}},
	{"parent": "{thread}"},
	{"parent_run_id": "{run}"},
	{"webhook": "http://127.0.0.1:1/{run}"},
	{"if_not_exists": "create"},
	{"if_not_exists": "reject"},
	{"if_exists": "do_nothing"},
	{"if_exists": "raise"},
	{"multitask_strategy": "rollback"},
	{"multitask_strategy": "interrupt"},
	{"namespace": []any{"{note}"}, "key": "{note}"},
	{"namespace_prefix": []any{"{note}"}},
	{"prefix": []any{"{note}"}},
	{"filter": doc{"note": "{note}"}},
	{"namespace": []any{"n", "ann"}},
	{"supersteps": []any{doc{"updates": []any{doc{"values": human("{note}"), "as_node": "{thread}"}}}}},
	{"as_node": "{run}"},
	{"name": "{note}"},
	{"status": "all"},
	{"version": 1},
	{"limit": 1000},
	{"offset": 0},
	{"select": []any{"thread_id", "values"}},
}

// queries are the same for addresses.
var queries = []string{
	"thread_id={thread}", "checkpoint_id={checkpoint}", "before={checkpoint}", "assistant_id={assistant}", "run_id={run}", "namespace={note}&key={note}", "owner=ann",
	"action=rollback", "action=interrupt", "cancel_on_disconnect=true", "delete_threads=true", "subgraphs=true", "xray=true", "limit=1000", "graph_id={assistant}",
}

// shared are endpoints that take no body.
var shared = []string{"POST /threads/{thread}/copy", "POST /threads/{thread}/runs/{run}/cancel"}

// strange draws a request of an endpoint, with {kind} where an id stands.
func strange(random *rand.Rand, pattern string) (path string, body any) {
	_, path, _ = strings.Cut(pattern, " ")
	kinds := map[string]string{}
	for _, kind := range []string{"thread", "run", "assistant", "cron", "checkpoint", "note"} {
		kinds[kind] = "{" + kind + "}"
	}
	path = strings.NewReplacer("{what}", []string{"join", "stream"}[random.IntN(2)], "{namespace}", "{note}").Replace(path)
	var query []string
	for range random.IntN(3) {
		query = append(query, queries[random.IntN(len(queries))])
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	base := bodies(kinds)[pattern]
	fields, ok := base.(doc)
	if base != nil && !ok { // a batch
		fields, _ = base.([]any)[0].(doc)
	}
	if base == nil && (strings.HasPrefix(pattern, "GET") || slices.Contains(shared, pattern)) && random.IntN(4) > 0 {
		return path, nil
	}
	fields = maps.Clone(fields)
	if fields == nil {
		fields = doc{}
	}
	for range random.IntN(4) {
		maps.Copy(fields, places[random.IntN(len(places))])
	}
	if base != nil && !ok {
		return path, []any{fields}
	}
	return path, fields
}

var (
	someUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	someTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
)

// blind returns a text without what two owners never have in common: ids get the numbers in which they appear, and times are left out.
func blind(text string, ids map[string]string) string {
	for kind, id := range ids {
		if kind != "checkpoint" { // it is a number that others have too
			text = strings.ReplaceAll(text, id, "{"+kind+"}")
		}
	}
	seen := map[string]string{}
	text = someUUID.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprint("id-", len(seen))
		}
		return seen[id]
	})
	return someTime.ReplaceAllString(text, "time")
}

// Two strangers send the same requests: bob with ids of ann's rows, and carol with ids of nothing, in every place of every endpoint. Both get the same
// answers in about the same time, and nothing of ann's changes. So nobody learns whether an id is that of somebody else.
//
// AGENTHOST_SEED repeats a run, and AGENTHOST_STRANGERS is the number of requests.
func TestWhatIsAnothersIsNotThere(t *testing.T) {
	t.Parallel()
	seed, err := strconv.ParseUint(os.Getenv("AGENTHOST_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	n, err := strconv.Atoi(os.Getenv("AGENTHOST_STRANGERS"))
	if err != nil {
		n = 600
	}
	t.Logf("AGENTHOST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r := setup(t, keys()+"limits: {requests_per_second: 1000000, burst: 1000000, runs_per_owner: 100000}")
	r.client = &http.Client{Transport: &http.Transport{}} // some of these requests have bodies where the description has none
	anns := property(r)
	delete(anns, "what")
	delete(anns, "namespace")
	anns["note"] = "x-anns-note"
	r.as(annsKey).get("PUT", "/store/items", doc{"namespace": []string{"x-anns-note"}, "key": "x-anns-note", "value": doc{"note": "x-anns-note", "text": marked}})
	r.as(annsKey).get("PATCH", "/threads/"+anns["thread"], doc{"metadata": doc{"note": "x-anns-note", "text": marked}})
	before := state(r, anns)
	patterns := langgraph.Patterns()
	for _, pattern := range patterns { // a new route must say where its ids stand
		for _, parameter := range regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(pattern, -1) {
			require.Contains(t, []string{"thread", "run", "assistant", "cron", "checkpoint", "what", "namespace"}, parameter[1], "add it to this test: %s", pattern)
		}
	}
	none := map[string]string{"checkpoint": anns["checkpoint"], "note": "x-nobodys-note"}
	for kind := range anns {
		if none[kind] == "" {
			none[kind] = drawUUID(random)
		}
	}
	took := map[string][]time.Duration{}
	statuses := map[int]int{}
	for i := range n {
		pattern := patterns[i%len(patterns)]
		path, body := strange(random, pattern)
		method, _, _ := strings.Cut(pattern, " ")
		var answers [2]string
		for j, who := range []struct {
			key string
			ids map[string]string
		}{{bobsKey, anns}, {carolsKey, none}} {
			var values []string
			for kind, id := range who.ids {
				values = append(values, "{"+kind+"}", id)
			}
			fill := strings.NewReplacer(values...)
			var content any
			if body != nil {
				content = fill.Replace(string(must(json.Marshal(body))))
			}
			began := time.Now()
			response := r.as(who.key).send(t.Context(), method, fill.Replace(path), content)
			text, err := io.ReadAll(response.body)
			if response.status == http.StatusNotFound {
				took[who.key] = append(took[who.key], time.Since(began))
			}
			require.NoError(t, err)
			require.NoError(t, response.body.Close())
			require.NotContains(t, string(text), marked, "%s %v", path, body)
			require.Less(t, response.status, 500, "%s %v: %s", path, body, text)
			statuses[response.status]++
			answers[j] = fmt.Sprintf("%d %s", response.status, response.header.Get("X-Pagination-Total"))
			if response.header.Get("Content-Type") == "application/json" && !strings.Contains(pattern, "/runs") || response.status >= 400 {
				answers[j] += blind(string(text), who.ids) // a run may be anywhere between its beginning and its end
			}
			for _, own := range []string{"/threads/", "/assistants/"} { // what they have made with the id
				kind := own[1 : len(own)-2]
				status := http.StatusConflict
				for status == http.StatusConflict { // a run that it has begun is over soon
					cleared := r.as(who.key).send(t.Context(), http.MethodDelete, own+who.ids[kind], nil)
					require.NoError(t, cleared.body.Close())
					status = cleared.status
				}
				answers[j] += fmt.Sprint(" ", status)
			}
		}
		require.Equal(t, answers[1], answers[0], "request %d: %s %s %v", i, method, path, string(must(json.Marshal(body))))
	}
	require.Equal(t, before, state(r, anns))
	t.Log("statuses:", statuses)
	require.Greater(t, statuses[http.StatusNotFound], n/4)
	require.Greater(t, statuses[http.StatusOK], n/8)
	for _, times := range took {
		slices.Sort(times)
	}
	bob, carol := took[bobsKey][len(took[bobsKey])/2], took[carolsKey][len(took[carolsKey])/2]
	require.Less(t, max(bob, carol), 3*min(bob, carol)+200*time.Microsecond, "the medians of the times of a 404")
}

func drawUUID(random *rand.Rand) string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(random.IntN(256))
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id.String()
}
