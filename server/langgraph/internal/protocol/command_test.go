package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	cmd, refused := protocol.ReadCommand([]byte(` {"id":1,"method":"run.start","params":{"assistant_id":"agent"},"more":[]} `))
	require.Nil(t, refused)
	require.Equal(t, int64(1), cmd.ID)
	require.Equal(t, "run.start", cmd.Method)
	var params struct {
		Assistant string `json:"assistant_id"`
	}
	require.NoError(t, cmd.Decode(&params))
	require.Equal(t, "agent", params.Assistant)
	for _, without := range []string{`{"id":-1,"method":"x"}`, `{"id":0,"method":"x","params":null}`} {
		cmd, refused = protocol.ReadCommand([]byte(without))
		require.Nil(t, refused, without)
		require.NoError(t, cmd.Decode(&params))
	}
}

func TestWhatIsNoCommand(t *testing.T) {
	t.Parallel()
	one := int64(1)
	for text, want := range map[string]*protocol.CommandResponse{
		"":                                     protocol.Failed(nil, protocol.InvalidArgument, "valid JSON"),
		"{":                                    protocol.Failed(nil, protocol.InvalidArgument, "valid JSON"),
		"{\"id\":1,\"method\":\"\xff\"}":       protocol.Failed(nil, protocol.InvalidArgument, "not UTF-8"),
		strings.Repeat(`{"id":`, 5000):         protocol.Failed(nil, protocol.InvalidArgument, "within each other"),
		`[]`:                                   protocol.Failed(nil, protocol.InvalidArgument, "integer id"),
		`null`:                                 protocol.Failed(nil, protocol.InvalidArgument, "integer id"),
		`{"channels":["values"]}`:              protocol.Failed(nil, protocol.InvalidArgument, "integer id"),
		`{"id":"1","method":"x"}`:              protocol.Failed(nil, protocol.InvalidArgument, "integer id"),
		`{"id":1.5,"method":"x"}`:              protocol.Failed(nil, protocol.InvalidArgument, "integer id"),
		`{"id":9007199254740992,"method":"x"}`: protocol.Failed(nil, protocol.InvalidArgument, "integer id"),
		`{"id":1}`:                             protocol.Failed(&one, protocol.InvalidArgument, "string method"),
		`{"id":1,"method":""}`:                 protocol.Failed(&one, protocol.InvalidArgument, "string method"),
		`{"id":1,"method":null}`:               protocol.Failed(&one, protocol.InvalidArgument, "string method"),
		`{"id":1,"method":"x","params":[]}`:    protocol.Failed(&one, protocol.InvalidArgument, "must be an object"),
	} {
		cmd, refused := protocol.ReadCommand([]byte(text))
		require.Nil(t, cmd, text)
		require.Contains(t, refused.Message, want.Message, "%.50s", text)
		require.Equal(t, want.ID, refused.ID, text)
		require.Equal(t, want.Error, refused.Error, text)
	}
}

// FuzzCommand holds for every text: a command is read, or refused with an answer that can be sent; nothing panics.
func FuzzCommand(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"method":"run.start","params":{"assistant_id":"agent","input":{"messages":[{"type":"human","content":"hi"}]}}}`,
		`{"id":2,"method":"subscription.subscribe","params":{"channels":["values","custom:a"],"namespaces":[["tools:1"]],"depth":1,"since":3}}`,
		`{"id":3,"method":"input.respond","params":{"responses":[{"interrupt_id":"a","response":null}]}}`, `[]`, `{"id":1e3}`, "{\"id\":1,\"method\":\"\\ud800\"}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		cmd, refused := protocol.ReadCommand(text)
		if refused != nil {
			require.Nil(t, cmd)
			require.NotEmpty(t, refused.Message)
			_, err := json.Marshal(refused)
			require.NoError(t, err)
			return
		}
		require.NotEmpty(t, cmd.Method)
		var filter struct {
			protocol.Filter

			Since *uint64 `json:"since"`
		}
		if cmd.Decode(&filter) == nil && filter.Check() == nil {
			require.NotEmpty(t, filter.Channels)
			_ = filter.Wants("custom:a", []string{"tools:1", "x"})
		}
	})
}
