package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

// pausing answers each request with the next of these contents, which all but the last pause. Streams come as one event.
func pausing(t *testing.T, contents ...string) *server {
	t.Helper()
	asked := 0
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		stop := "pause_turn"
		if asked == len(contents)-1 {
			stop = "end_turn"
		}
		end := fmt.Sprintf(`"stop_reason":%q,"container":{"id":"container_%d"}`, stop, asked)
		message := fmt.Sprintf(`{"id":"msg_%d","type":"message","model":"claude-haiku-4-5-20251001","content":%s,"usage":{"input_tokens":10,"output_tokens":%d}`,
			asked, contents[asked], asked+1)
		asked++
		if !strings.Contains(r.Header.Get("X-Way"), "Stream") {
			_, _ = io.WriteString(w, message+","+end+"}")
			return
		}
		for _, event := range []string{
			`{"type":"message_start","message":` + message + `}}`, `{"type":"message_delta","delta":{` + end + `}}`, `{"type":"message_stop"}`,
		} {
			_, _ = io.WriteString(w, "data: "+strings.ReplaceAll(event, "\n", "")+"\n\n")
		}
	})
}

const (
	thinks   = `{"type":"thinking","thinking":"Let me search.","signature":"c2lnbmVk"}`
	searches = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"Bern"}}`
	found    = `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.com","encrypted_content":"ZW5j"}]}`
)

// bothWays runs a test for Generate and Stream.
func bothWays(t *testing.T, test func(t *testing.T, ask func(*anthropic.Model, *model.Request) (*model.Response, error))) {
	t.Helper()
	t.Run("Generate", func(t *testing.T) {
		t.Parallel()
		test(t, func(m *anthropic.Model, req *model.Request) (*model.Response, error) {
			return m.Generate(t.Context(), req)
		})
	})
	t.Run("Stream", func(t *testing.T) {
		t.Parallel()
		test(t, func(m *anthropic.Model, req *model.Request) (*model.Response, error) {
			m.Headers = map[string]string{"X-Way": "Stream"}
			out, err := stream(t, m, req)
			if err == nil {
				require.Equal(t, out.response.AI().Content.Text(), out.text, "the pieces are the text of all requests")
			}
			return out.response, err
		})
	})
}

func TestAPausedTurnGoesOn(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, ask func(*anthropic.Model, *model.Request) (*model.Response, error)) {
		t.Helper()
		s := pausing(t, `[`+thinks+`,{"type":"text","text":"I look."},`+searches+`]`, `[`+found+`,{"type":"text","text":"It is "}]`, `[{"type":"text","text":"sunny."}]`)
		m := s.model(t)
		m.Settings = settings(t, `{"tools":[{"type":"web_search_20250305","name":"web_search"}],"container":{"skills":[{"skill_id":"x"}]}}`)
		resp, err := ask(m, request(abi.Human("hi")))
		require.NoError(t, err)

		ai := resp.AI()
		kinds := []string{}
		for _, block := range ai.Content.Blocks() {
			kinds = append(kinds, block.Type())
		}
		require.Equal(t, []string{"reasoning", "text", "anthropic_server_tool_use", "anthropic_web_search_tool_result", "text"}, kinds)
		require.Equal(t, "I look.It is sunny.", ai.Content.Text())
		require.Equal(t, &abi.Usage{InputTokens: 30, OutputTokens: 6, TotalTokens: 36}, ai.Usage)
		require.Equal(t, "end_turn", resp.StopReason)
		require.Len(t, resp.Messages, 1)

		require.Len(t, s.requests, 3)
		for i, want := range []string{
			`[{"role":"user","content":[{"type":"text","text":"hi"}]}]`,
			`[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[` + thinks + `,{"type":"text","text":"I look."},` + searches + `]}]`,
			`[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[` + thinks + `,{"type":"text","text":"I look."},` + searches + `,` +
				found + `,{"type":"text","text":"It is"}]}]`,
		} {
			var body map[string]any
			require.NoError(t, json.Unmarshal(s.requests[i].body, &body))
			require.Equal(t, value(t, want), body["messages"])
			require.Len(t, body["tools"], 1, "the same tools are offered")
			container := map[string]any{"skills": []any{map[string]any{"skill_id": "x"}}}
			if i > 0 {
				container["id"] = fmt.Sprintf("container_%d", i-1)
			}
			require.Equal(t, container, body["container"], "code runs where it ran before")
		}
	})
}

func TestATurnThatPausesForever(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, ask func(*anthropic.Model, *model.Request) (*model.Response, error)) {
		t.Helper()
		contents := make([]string, anthropic.MaxPauses+5)
		for i := range contents {
			contents[i] = `[{"type":"text","text":"a"}]`
		}
		s := pausing(t, contents...)
		resp, err := ask(s.model(t), request(abi.Human("hi")))
		require.NoError(t, err)
		require.Equal(t, "pause_turn", resp.StopReason, "what was paid for is not lost")
		require.Equal(t, strings.Repeat("a", anthropic.MaxPauses+1), resp.AI().Content.Text())
		require.Len(t, s.requests, anthropic.MaxPauses+1)
	})
}

// The API cannot go on before a call has its answer.
func TestAPausedTurnWithCallsIsTheAgents(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, ask func(*anthropic.Model, *model.Request) (*model.Response, error)) {
		t.Helper()
		s := pausing(t, `[{"type":"tool_use","id":"toolu_1","name":"time","input":{}}]`, `[]`)
		resp, err := ask(s.model(t), request(abi.Human("hi")))
		require.NoError(t, err)
		require.Len(t, resp.AI().ToolCalls, 1)
		require.Len(t, s.requests, 1)
	})
}

func TestAPausedTurnThatFails(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, ask func(*anthropic.Model, *model.Request) (*model.Response, error)) {
		t.Helper()
		s := pausing(t, `[`+searches+`]`, `"none"`)
		_, err := ask(s.model(t), request(abi.Human("hi")))
		require.Equal(t, model.ErrorResponse, failure(t, err).Kind)
	})
}

func TestAStreamStopsWhereItsConsumerStops(t *testing.T) {
	t.Parallel()
	s := pausing(t, `[{"type":"text","text":"a"}]`, `[{"type":"text","text":"b"}]`)
	m := s.model(t)
	m.Headers = map[string]string{"X-Way": "Stream"}
	for chunk, err := range m.Stream(t.Context(), request(abi.Human("hi"))) {
		require.NoError(t, err)
		require.Equal(t, "a", chunk.Text)
		break
	}
	require.Len(t, s.requests, 1)
}
