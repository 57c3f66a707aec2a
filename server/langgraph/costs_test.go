package langgraph_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// counted is a model whose calls cost 5 EUR each.
type counted struct{ model.Model }

func (m counted) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	resp, err := m.Model.Generate(ctx, req)
	if err == nil {
		out := *resp
		out.Messages = slices.Clone(resp.Messages)
		out.AI().Usage = &abi.Usage{InputTokens: 1000, TotalTokens: 1000}
		resp = &out
	}
	return resp, err
}

func costly(c *host.Config) {
	const eur = model.Amount(1_000_000_000)
	c.Model = counted{c.Model}
	c.Prices = &model.Prices{Currency: "EUR", Models: map[string]model.Price{c.Model.Info().Name: {Input: 5000 * eur}}}
}

// A budget of an owner holds over all runs, ends one that exceeds it, and refuses the next one. Others go on.
func TestABudgetOfAnOwner(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()+"\nlimits: {owner_cost: 25, owner_cost_period: day}", costly)
	ann, bob := r.as(annsKey), r.as(bobsKey)
	before := ann.object("GET", "/costs", nil)
	require.Equal(t, doc{"amount": 25.0, "currency": "EUR", "period": "day", "spent": 0.0, "left": 25.0}, without(objectIn(before["budget"]), "renews_at"))

	run := doc{"assistant_id": "agent", "input": human("weather Rome")}
	first := ann.object("POST", "/runs/wait", run) // a call that asks for a tool, and one that answers
	require.NotContains(t, first, "__error__")
	costs := ann.object("GET", "/costs", nil)
	require.Equal(t, []any{10.0, 15.0}, []any{objectIn(costs["budget"])["spent"], objectIn(costs["budget"])["left"]})
	require.Equal(t, []any{doc{"day": time.Now().UTC().Format(time.DateOnly), "currency": "EUR", "amount": 10.0, "unknown_calls": 0.0}}, costs["days"])
	require.NotContains(t, ann.object("POST", "/runs/wait", run), "__error__")
	cut := objectIn(ann.object("POST", "/runs/wait", run)["__error__"]) // it may still make one call
	require.Equal(t, "limit_error", cut["error"])
	require.Contains(t, cut["message"], "the budget of 25 EUR for this day is spent: the runs of its owner have cost 25 EUR")
	refused := ann.refused(http.StatusPaymentRequired, "POST", "/runs/wait", run)
	require.Contains(t, refused, "the budget of 25 EUR for this day is spent: the runs of its owner have cost ")
	thread := textIn(ann.object("POST", "/threads", doc{})["thread_id"])
	for _, path := range []string{"/runs", "/runs/stream", "/threads/" + thread + "/runs", "/threads/" + thread + "/runs/stream"} {
		ann.refused(http.StatusPaymentRequired, "POST", path, run)
	}
	ann.refused(http.StatusPaymentRequired, "POST", "/runs/batch", []any{run})
	ann.refused(http.StatusPaymentRequired, "POST", "/threads/"+thread+"/commands", doc{"id": 1, "method": "run.start", "params": run})
	for path, body := range map[string]doc{ // the other doors
		"/agui/agent": {
			"threadId": "t", "runId": "r", "state": doc{}, "tools": []any{}, "context": []any{}, "forwardedProps": doc{},
			"messages": []any{doc{"id": "1", "role": "user", "content": "hi"}},
		},
		"/v1/chat/completions":    {"model": "agent", "messages": []any{doc{"role": "user", "content": "hi"}}},
		"/v1/responses":           {"model": "agent", "input": "hi"},
		"/a2a/agent/message:send": {"message": doc{"messageId": "1", "role": "ROLE_USER", "parts": []any{doc{"text": "hi"}}}},
	} {
		status, answer := ann.do("POST", path, body)
		require.Equal(t, http.StatusPaymentRequired, status, "%s: %v", path, answer)
	}

	require.NotContains(t, bob.object("POST", "/runs/wait", run), "__error__")
	owners := listIn(bob.object("GET", "/costs/owners", nil)["owners"])
	require.Len(t, owners, 2)
	require.Equal(t, []any{"ann", "EUR"}, []any{objectIn(owners[0])["owner"], objectIn(owners[0])["currency"]})
	require.Len(t, listIn(bob.object("GET", "/costs/owners?limit=1", nil)["owners"]), 1)
	require.Empty(t, bob.object("GET", "/costs?since=2999-01-01", nil)["days"])
	require.Contains(t, bob.refused(http.StatusUnprocessableEntity, "GET", "/costs?since=yesterday", nil), "since is 'yesterday'")
}

func without(d doc, key string) doc {
	delete(d, key)
	return d
}

func TestCostsWithoutABudget(t *testing.T) {
	t.Parallel()
	r := setup(t, keys(), costly)
	ann := r.as(annsKey)
	ann.get("POST", "/runs/wait", doc{"assistant_id": "agent", "input": human("hi")})
	costs := ann.object("GET", "/costs", nil)
	require.Nil(t, costs["budget"])
	require.Len(t, listIn(costs["days"]), 1)
}
