package agui_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

const (
	annsKey    = "ann-0123456789abcdef"
	bobsKey    = "bob-0123456789abcdef"
	readersKey = "reader-0123456789abcdef"
)

// keys is a serve.yaml with two owners, and a key that may only read threads.
func keys() string {
	line := func(key, owner, scopes string) string {
		sum := sha256.Sum256([]byte(key))
		return fmt.Sprintf("    - {sha256: %s, owner: %s, scopes: [%s]}\n", hex.EncodeToString(sum[:]), owner, scopes)
	}
	return "limits: {runs_per_owner: 1}\nauth:\n  keys:\n" + line(annsKey, "ann", "admin") + line(bobsKey, "bob", "admin") + line(readersKey, "ann", "threads")
}

// A client that names the thread, the run, the questions and the messages of somebody else gets nothing of them.
func TestAStrangerGetsNothing(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ann := r.as(annsKey).talk("shared name")
	asked := interrupts(ann.say("r1", "write secret"))
	require.Len(t, asked, 1)
	first, _ := ann.messages[0].(doc)

	bob := r.as(bobsKey).talk("shared name")
	bob.more = resume(asked[0]["id"], "resolved", doc{"approved": true})
	require.Contains(t, bob.refused(bob.input("r1")), "nothing in the thread waits for an answer")
	bob.more = nil
	bob.messages = []any{doc{"id": first["id"], "role": "user", "content": "mine"}}
	require.Equal(t, doc{"type": "success"}, outcome(bob.run("r1")), "it is a thread of its own")
	require.Equal(t, []string{"user: mine", "assistant: You said: mine"}, bob.lines())
	found, _, err := r.service.FindThreads(t.Context(), "bob", &runs.ThreadQuery{})
	require.NoError(t, err)
	require.Len(t, found, 1)

	ann.more = resume(asked[0]["id"], "resolved", doc{"approved": true})
	ann.run("r2")
	require.Equal(t, "tool: wrote secret", ann.lines()[2])
}

func TestWhoMayStartRuns(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	in := r.talk("t").input("r1")
	for key, status := range map[string]int{"": http.StatusUnauthorized, "wrong-0123456789": http.StatusUnauthorized, readersKey: http.StatusForbidden} {
		require.Equal(t, status, r.as(key).send(t.Context(), "agent", in).status)
	}
}

func TestTooManyRuns(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ann := r.as(annsKey).talk("t")
	ann.messages = []any{doc{"id": "u", "role": "user", "content": "block"}}
	r.as(annsKey).open(ann.input("r1"))
	<-r.began
	response := r.as(annsKey).send(t.Context(), "agent", r.talk("other").input("r2"))
	require.Equal(t, http.StatusTooManyRequests, response.status)
	require.Equal(t, "1", response.header.Get("Retry-After"))
	close(r.let)
}
