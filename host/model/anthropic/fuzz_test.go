package anthropic_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

// saying is a model whose server says this, without a server.
func saying(body []byte, asked *[]byte) *anthropic.Model {
	return &anthropic.Model{Name: "m", APIKey: "k", HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		if asked != nil {
			*asked, _ = io.ReadAll(r.Body)
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
	})}}
}

// requireSound checks a response to anything: it can be stored, and be sent back.
func requireSound(t *testing.T, resp *model.Response) {
	t.Helper()
	m := resp.AI()
	require.NotNil(t, m)
	encoded := history.Of(*m).Entry(0).Encoded()
	limits := wire.Limits{MaxBytes: len(encoded) + 1, MaxDepth: 100, MaxNodes: len(encoded) + 1}
	require.NoError(t, wire.Validate(encoded, limits))
	var asked []byte
	_, err := saying([]byte(plain), &asked).Generate(t.Context(), request(abi.Human("hi"), *m, abi.Human("go")))
	require.NoError(t, err)
	require.NotNil(t, value(t, string(asked)))
}

func FuzzAnswer(f *testing.F) {
	for _, name := range kept(f) {
		f.Add([]byte(file(f, "answers", name+".json")))
	}
	f.Add([]byte(`{"type":"error","error":{"type":"overloaded_error"}}`))
	f.Add([]byte(`{"content":[{"type":"tool_use","id":"A","input":"x","caller":{"type":"y"}},{"type":"text","text":" "}]}`))
	format := &model.Format{Schema: wire.Map(nil).Raw()}
	f.Fuzz(func(t *testing.T, body []byte) {
		resp, err := saying(body, nil).Generate(t.Context(), request(abi.Human("hi")).WithFormat(format))
		if err != nil {
			require.NotEmpty(t, failure(t, err).Kind)
			return
		}
		requireSound(t, resp)
	})
}

func FuzzStream(f *testing.F) {
	for _, name := range kept(f) {
		f.Add([]byte(file(f, "answers", name+".sse")))
	}
	f.Add([]byte(events(begin, tool, args(`{"a`), args(`":"\`), ended, end)))
	f.Add([]byte(events(begin, text, more, `{"type":"content_block_delta","index":0,"delta":{"type":"x","text":{},"y":"\ud83d"}}`, end)))
	f.Add([]byte("event: error\ndata: {}\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := stream(t, saying(body, nil), request(abi.Human("hi")))
		if err != nil {
			require.NotEmpty(t, failure(t, err).Kind)
			return
		}
		requireSound(t, got.response)
	})
}
