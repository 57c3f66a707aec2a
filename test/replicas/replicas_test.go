//go:build unix

package replicas_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/pgtest"
)

// kills returns how many replicas are killed.
func kills(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("AGENTHOST_KILLS"))
	if err != nil {
		return 6
	}
	return n
}

// Runs of several clients go on while the replicas that perform them are killed, and every stream is cut.
func TestKilledReplicas(t *testing.T) {
	t.Parallel()
	database := pgtest.Address(t)
	p := newProxy(t, startReplica(t, database), startReplica(t, database), startReplica(t, database))
	t.Cleanup(func() {
		for _, r := range p.all() {
			r.kill()
		}
	})
	stop, killed := make(chan struct{}), 0
	var clients, killer sync.WaitGroup
	for i := range 6 {
		clients.Go(func() {
			c := &client{t: t, url: p.URL}
			thread := c.object("POST", "/threads", map[string]any{})["thread_id"].(string) //nolint:forcetypeassert // the server always has it
			for turn := 1; ; turn++ {
				c.turn(thread, fmt.Sprintf("client %d, turn %d", i, turn), turn)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	killer.Go(func() {
		defer close(stop)
		for ; killed < kills(t); killed++ {
			if pause(t.Context(), time.Duration(100+rand.IntN(400))*time.Millisecond) != nil {
				return
			}
			all := p.all()
			victim := rand.IntN(len(all))
			all[victim].kill()
			p.replace(victim, startReplica(t, database))
		}
	})
	killer.Wait()
	clients.Wait()
	require.Equal(t, kills(t), killed)
}

// turn makes a run in a thread and checks all that the client is told of it.
func (c *client) turn(thread, said string, turn int) {
	at := c.submit(thread, said, map[string]any{
		"assistant_id": "agent", "input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": said, "id": said}}},
		"stream_mode": []string{"values", "messages-tuple", "updates"}, "stream_resumable": true, "multitask_strategy": "enqueue",
	})
	frames := c.follow(at, nil)
	seen := map[string]bool{}
	for _, f := range frames {
		require.False(c.t, seen[f.id], "the frame %s came twice", f.id)
		seen[f.id] = true
	}
	require.Equal(c.t, "success", c.object("GET", at, nil)["status"], "%v", frames[len(frames)-1])
	require.Equal(c.t, lasting(frames), lasting(c.follow(at, nil)), "who comes later sees the same")

	last, updates := "", 0
	for _, f := range frames {
		switch f.event {
		case "values":
			last = f.data
		case "updates":
			updates++
		}
	}
	require.Equal(c.t, 2*steps+1, updates, "each step is told once")
	var values struct {
		Messages []struct {
			ID      string `json:"id"`
			Content string `json:"content"`
		} `json:"messages"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(last), &values))
	ids := map[string]bool{}
	for _, m := range values.Messages {
		require.False(c.t, ids[m.ID], "the message %s is there twice", m.ID)
		ids[m.ID] = true
	}
	require.Len(c.t, values.Messages, turn*(2+2*steps), "%s", last)
	require.Equal(c.t, fmt.Sprintf("there were %d steps of this run", steps), values.Messages[len(values.Messages)-1].Content)
	state, err := json.Marshal(c.object("GET", "/threads/"+thread+"/state", nil)["values"])
	require.NoError(c.t, err)
	require.JSONEq(c.t, last, string(state), "what the client was told is what is kept")
}

// lasting leaves out what became void because the replica that told of it was killed: pieces of answers, and the beginning of an attempt of which
// nothing else is left. It may have told them before the database had them, so who comes later need not see them.
func lasting(frames []frame) (out []frame) {
	for _, f := range frames {
		if f.event == "metadata" { // an attempt begins
			for len(out) > 0 && (out[len(out)-1].event == "messages" || out[len(out)-1].event == "metadata") {
				out = out[:len(out)-1]
			}
		}
		out = append(out, f)
	}
	return out
}

// A replica that is told to stop gives its runs back, and another one goes on with them at once.
func TestAStoppedReplica(t *testing.T) {
	t.Parallel()
	database := pgtest.Address(t)
	first := startReplica(t, database)
	p := newProxy(t, first)
	c := &client{t: t, url: p.URL}
	thread := fmt.Sprint(c.object("POST", "/threads", map[string]any{})["thread_id"])
	run := c.object("POST", "/threads/"+thread+"/runs", map[string]any{"assistant_id": "agent", "input": map[string]any{"messages": "go"}})
	second := startReplica(t, database)
	t.Cleanup(second.kill)
	p.replace(0, second)
	first.stop()
	at := fmt.Sprint("/threads/", thread, "/runs/", run["run_id"])
	c.follow(at, nil)
	require.Equal(t, "success", c.object("GET", at, nil)["status"])
}

// Any replica cancels a run of another one.
func TestACancelReachesTheOwner(t *testing.T) {
	t.Parallel()
	database := pgtest.Address(t)
	replicas := []*replica{startReplica(t, database), startReplica(t, database)}
	for _, r := range replicas {
		t.Cleanup(r.kill)
	}
	for i := range 6 {
		one, other := &client{t: t, url: "http://" + replicas[i%2].address}, &client{t: t, url: "http://" + replicas[(i+1)%2].address}
		thread := fmt.Sprint(one.object("POST", "/threads", map[string]any{})["thread_id"])
		at := fmt.Sprint("/threads/", thread, "/runs/", one.object("POST", "/threads/"+thread+"/runs", map[string]any{
			"assistant_id": "agent", "input": map[string]any{"messages": "go"},
		})["run_id"])
		for one.object("GET", at, nil)["status"] == "pending" {
			require.NoError(t, pause(t.Context(), 5*time.Millisecond))
		}
		other.object("POST", at+"/cancel?wait=1", nil)
		require.Equal(t, "interrupted", one.object("GET", at, nil)["status"])
		require.Equal(t, "interrupted", other.object("GET", "/threads/"+thread, nil)["status"])
	}
}
