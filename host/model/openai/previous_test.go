package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// storing starts a server that numbers its answers and knows those that it has given, until forget is set.
func storing(t *testing.T, forget *bool) *server {
	t.Helper()
	n := 0
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Previous string `json:"previous_response_id"`
			Stream   bool   `json:"stream"`
			Input    []any  `json:"input"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		if body.Previous != "" && *forget {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"Previous response with id 'resp_1' not found.","type":"invalid_request_error",`+
				`"param":"previous_response_id","code":"previous_response_not_found"}}`)
			return
		}
		n++
		answer := fmt.Sprintf(`{"id":"resp_%d","model":"m","status":"completed","output":[
			{"type":"reasoning","id":"rs_%[1]d","summary":[],"encrypted_content":"enc"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"answer %[1]d","annotations":[]}]},
			{"type":"function_call","call_id":"call_%[1]d","name":"weather","arguments":"{}"}]}`, n)
		if body.Stream {
			compact, _ := json.Marshal(json.RawMessage(answer))
			answer = `data: {"type":"response.completed","response":` + string(compact) + "}\n\n"
		}
		_, _ = io.WriteString(w, answer)
	})
}

// kept returns a message as a thread gives it back.
func kept(t *testing.T, m *abi.Message) abi.Message {
	t.Helper()
	text, err := m.MarshalMsg(nil)
	require.NoError(t, err)
	var out abi.Message
	_, err = out.UnmarshalMsg(text)
	require.NoError(t, err)
	out.Name, out.ID = "agent", "msg-1" // the agent sets them
	return out
}

func TestARequestGoesOnWithTheStoredAnswer(t *testing.T) {
	t.Parallel()
	for _, streaming := range []bool{false, true} {
		forget := false
		s := storing(t, &forget)
		m := modelAt(t, s, openai.Responses)
		m.UsePreviousResponseID = true
		system := abi.Text("be brief")
		asks := func(messages ...abi.Message) (abi.Message, map[string]any) {
			resp, err := ask(t, m, request(messages...).WithSystem(system), streaming)
			require.NoError(t, err)
			return kept(t, resp.AI()), s.last(t).body
		}
		first, body := asks(hi)
		require.Equal(t, true, body["store"])
		require.NotContains(t, body, "previous_response_id")
		require.Equal(t, []any{"reasoning.encrypted_content"}, body["include"], "the history can be sent again")

		result := abi.ToolResult(first.ToolCalls[0], "sunny")
		second, body := asks(hi, first, result)
		require.Equal(t, "resp_1", body["previous_response_id"])
		require.Equal(t, "be brief", body["instructions"], "the API does not keep them")
		require.Len(t, itemsOf(body), 1)
		require.Equal(t, "function_call_output", itemsOf(body)[0]["type"])
		require.Equal(t, "call_1", itemsOf(body)[0]["call_id"])

		rainy := abi.ToolResult(second.ToolCalls[0], "rainy")
		_, body = asks(hi, first, result, second, rainy, abi.Human("and now?"))
		require.Equal(t, "resp_2", body["previous_response_id"])
		require.Len(t, body["input"], 2)

		whole := func(why string, messages ...abi.Message) {
			_, body := asks(messages...)
			require.NotContains(t, body, "previous_response_id", why)
			require.Equal(t, "user", itemsOf(body)[0]["role"], why)
		}
		changed := first
		changed.Content = abi.Text("redacted")
		whole("the question is another one", abi.Human("ho"), first, result)
		whole("the answer was changed", hi, changed, result)
		whole("a call is open", hi, first, abi.Human("and now?"))
		whole("nothing is new", hi, first)
		whole("messages were removed", hi, second, rainy)
		other := first
		other.Meta = nil
		whole("another model's", hi, other, result)

		forget = true
		before := s.count()
		_, body = asks(hi, first, result)
		require.Equal(t, 2, s.count()-before)
		require.NotContains(t, body, "previous_response_id")
		require.Len(t, body["input"], 5, "question, reasoning, text, call, result")
	}
}

// itemsOf returns the items of a request.
func itemsOf(body map[string]any) (items []map[string]any) {
	list, _ := body["input"].([]any)
	for _, item := range list {
		fields, _ := item.(map[string]any)
		items = append(items, fields)
	}
	return items
}

func TestTheModeIsChecked(t *testing.T) {
	t.Parallel()
	for says, m := range map[string]*openai.Model{
		`"use_previous_response_id" needs api: responses`:         {UsePreviousResponseID: true},
		`"background" needs api: responses`:                       {Background: true},
		`"store" must not be false with use_previous_response_id`: {UsePreviousResponseID: true, API: openai.Responses, Settings: mapOf(t, `{"store":false}`)},
	} {
		m.Name = "m"
		err := m.Check()
		require.ErrorContains(t, err, says)
		var wrong *model.SettingError
		require.ErrorAs(t, err, &wrong)
	}
	require.NoError(t, (&openai.Model{Name: "m", UsePreviousResponseID: true, API: openai.Responses, Settings: mapOf(t, `{"store":true}`)}).Check())
	require.NoError(t, (&openai.Model{Name: "m", Background: true, API: openai.Responses, Settings: mapOf(t, `{"store":false}`)}).Check())
}
