package studio_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/studio"
)

// many returns a recording of n events, with an answer of some lines in each tenth.
func many(n int) string {
	var out bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	seq := 0
	lines := json.NewEncoder(&out)
	put := func(event map[string]any) {
		seq++
		at = at.Add(3 * time.Millisecond)
		event["seq"], event["run"], event["agent"], event["time"] = seq, "run-1", "busy", at
		if err := lines.Encode(event); err != nil {
			panic(err)
		}
	}
	put(map[string]any{"type": "run"})
	for i := 1; seq < n-10; i++ {
		id := fmt.Sprint("m-", i)
		put(map[string]any{"type": "step", "step": "model", "index": i})
		put(map[string]any{"type": "token", "step": "model", "index": 1, "message": id, "text": "some "})
		put(map[string]any{"type": "model", "step": "model", "model": "m", "duration": 2_000_000, "messages": []any{}})
		put(map[string]any{"type": "hook", "step": "guard.wrap_model_call", "duration": 2_500_000, "fuel": 1000 + i%777, "digest": "sha256:0123456789ab", "instance": 1 + i%3})
		put(map[string]any{"type": "state", "step": "model", "messages": []any{map[string]any{
			"role": "ai", "id": id, "content": fmt.Sprintf("answer %d\n\n- one\n- two", i), "tool_calls": []any{map[string]any{"id": "c-" + id, "name": "look", "args": map[string]any{"i": i}}},
		}}})
		put(map[string]any{"type": "checkpoint", "checkpoint": 2*i - 1, "parent": 2*i - 2, "source": "loop", "step": "model"})
		put(map[string]any{"type": "step", "step": "tools", "index": i})
		put(map[string]any{"type": "tool", "step": "tools", "call": map[string]any{"id": "c-" + id, "name": "look", "args": map[string]any{"i": i}}, "duration": 1_000_000, "messages": []any{}})
		put(map[string]any{"type": "state", "step": "tools", "messages": []any{map[string]any{"role": "tool", "id": "r-" + id, "tool_call_id": "c-" + id, "content": fmt.Sprint("seen ", i)}}})
		put(map[string]any{"type": "checkpoint", "checkpoint": 2 * i, "parent": 2*i - 1, "source": "loop", "step": "tools"})
	}
	put(map[string]any{"type": "end", "status": "completed"})
	return out.String()
}

// times reports whether times count: make test-ui runs alone, other tests share the machine.
func times() bool { return os.Getenv("AGENTHOST_UI") != "" }

// A colleague opens a file with a run of ten thousand events. It scrolls smoothly: a list has only the rows that can be seen.
func TestAFileWithManyEvents(t *testing.T) {
	t.Parallel()
	p := open(t, file(t, studio.Recording{Name: "run.jsonl", Text: many(10_000)}))
	p.see("run.jsonl")
	p.see("answer 9")
	require.Less(t, eval[int](p, `document.querySelectorAll('.message').length`), 80)
	p.shoot("file-chat")
	for _, view := range []string{"Chat", "Timeline", "History"} {
		p.view(view)
		p.wait(`document.querySelector('.view .rows').scrollHeight > 20000`)
		frames := eval[map[string]float64](p, `new Promise((done) => {
			const box = document.querySelector('.view .rows');
			const times = [], far = box.scrollHeight;
			let last = performance.now(), n = 0;
			const step = (now) => {
				if (n > 5) times.push(now - last);
				last = now;
				if (++n > 125) {
					times.sort((a, b) => a - b);
					done({median: times[60], p95: times[114], rows: box.querySelectorAll('[data-key]').length});
					return;
				}
				box.scrollTop = far * (n % 2 ? n / 125 : 1 - n / 125) * (n % 10 === 0 ? 1 : 0) + box.scrollTop * (n % 10 === 0 ? 0 : 1) + 130;
				requestAnimationFrame(step);
			};
			requestAnimationFrame(step);
		})`)
		t.Logf("%s: a frame takes %.1f ms, 95 %% at most %.1f ms, with %.0f rows in the page", view, frames["median"], frames["p95"], frames["rows"])
		if times() {
			require.Less(t, frames["median"], 17.5, "%s: 60 frames a second", view)
		}
		require.Less(t, frames["rows"], 120.0)
	}
	p.view("State")
	p.see("unchanged")
	p.view("Requests")
	p.see("Answer")
	p.view("Graph")
	p.wait(`document.querySelectorAll('.node').length === 4`)
	p.view("Plugins")
	p.see("plugin, sandboxed")
	p.shoot("file-plugins")
}

// The first view is there in less than 300 ms after the page was asked for.
func TestTheFirstView(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.see("Talk to an agent")
	best := 1e9
	for range 5 {
		require.NoError(t, chromedp.Do(r.ctx, chromedp.Navigate(r.url)))
		r.wait(`has('Talk to an agent') && performance.getEntriesByName('first-contentful-paint').length > 0`)
		best = min(best, eval[float64](r.page, `performance.getEntriesByName('first-contentful-paint')[0].startTime`))
	}
	t.Logf("the first view after %.0f ms", best)
	if times() {
		require.Less(t, best, 300.0)
	}
}

// The page works only within its policy.
func TestThePolicyForbidsEverythingElse(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(other.Close)
	r.expect("Content Security Policy", "TrustedHTML", "Refused to", "violates", "a request to "+other.URL)
	require.Equal(t, "refused", eval[string](r.page, `fetch(`+fmt.Sprintf("%q", other.URL)+`).then(() => 'sent', () => 'refused')`))
	require.Equal(t, "TypeError", eval[string](r.page, `(() => {try {document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); return 'done'} catch (err) {return err.name}})()`))
}
