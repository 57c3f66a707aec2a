package sdk_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// operations is a host that answers each operation by passing the document to a function.
type operations map[string]func(payload []byte) (abi.Status, []byte)

func (operations) Next([]byte) (abi.Status, []byte) { return abi.EINVAL, nil }
func (operations) Log(abi.LogLevel, string)         {}

func (o operations) HostCall(op string, payload []byte) (abi.Status, []byte) {
	answer, ok := o[op]
	if !ok {
		return abi.EDENIED, nil
	}
	return answer(payload)
}

// document is a document that plugin and host exchange.
type document interface {
	MarshalMsg(dst []byte) ([]byte, error)
	UnmarshalMsg(b []byte) ([]byte, error)
}

// replies checks the document of an operation and answers with another.
func replies(t *testing.T, want, reply document) func([]byte) (abi.Status, []byte) {
	t.Helper()
	return func(payload []byte) (abi.Status, []byte) {
		expected, err := want.MarshalMsg(nil)
		require.NoError(t, err)
		require.Equal(t, expected, payload)
		b, err := reply.MarshalMsg(nil)
		require.NoError(t, err)
		return abi.StatusOK, b
	}
}

// status answers without a document.
func status(s abi.Status) func([]byte) (abi.Status, []byte) {
	return func([]byte) (abi.Status, []byte) { return s, nil }
}

// during runs a function in a hook with this host.
func during(t *testing.T, host sdk.Host, use func(c *sdk.Call) error) *abi.Result {
	t.Helper()
	return invoke(t, all{node: func(c *sdk.Call) (*sdk.Update, error) { return nil, use(c) }}, "before_model", abi.HookInput{}, host)
}

func TestStore(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	host := operations{
		abi.OpKVGet: replies(t, &abi.KVGet{Key: "k", Scope: abi.ScopeRun}, &abi.KVEntry{Value: sdk.Int(1), Version: 7}),
		abi.OpKVPut: replies(t, &abi.KVPut{Key: "k", Scope: abi.ScopeThread, Value: sdk.Int(2)}, &abi.KVVersion{Version: 8}),
		abi.OpKVList: replies(t, &abi.KVList{After: "a/1", Limit: 2, Prefix: "a/", Scope: abi.ScopePlugin},
			&abi.KVPage{Items: []abi.KVItem{{Key: "a/2", Size: 1, Version: 3}}, More: true}),
		abi.OpKVDelete: func(payload []byte) (abi.Status, []byte) {
			var remove abi.KVDelete
			_, err := remove.UnmarshalMsg(payload)
			require.NoError(t, err)
			require.Nil(t, remove.IfVersion)
			return abi.StatusOK, nil
		},
	}
	require.Nil(t, during(t, host, func(c *sdk.Call) error {
		value, version, err := c.Store(sdk.ScopeRun).Get("k")
		require.NoError(t, err)
		require.Equal(t, sdk.Int(1), value)
		require.EqualValues(t, 7, version)
		version, err = c.Store(sdk.ScopeThread).Put("k", sdk.Int(2))
		require.NoError(t, err)
		require.EqualValues(t, 8, version)
		items, more, err := c.Store(sdk.ScopePlugin).List("a/", "a/1", 2)
		require.NoError(t, err)
		require.Equal(t, []sdk.KVItem{{Key: "a/2", Size: 1, Version: 3}}, items)
		require.True(t, more)
		return c.Store(sdk.ScopePlugin).Delete("k")
	}))
}

func TestStoreWithoutAnEntry(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	during(t, operations{abi.OpKVGet: status(abi.ENOENT)}, func(c *sdk.Call) error {
		value, version, err := c.Store(sdk.ScopeRun).Get("k")
		require.NoError(t, err)
		require.True(t, value.IsZero())
		require.Zero(t, version)
		return nil
	})
}

func TestStoreConditions(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	host := operations{
		abi.OpKVPut: replies(t, &abi.KVPut{IfVersion: new(uint64(0)), Key: "k", Scope: abi.ScopeRun, Value: sdk.Bool(true)},
			&abi.KVVersion{Version: 1}),
		abi.OpKVDelete: func(payload []byte) (abi.Status, []byte) {
			var remove abi.KVDelete
			_, err := remove.UnmarshalMsg(payload)
			require.NoError(t, err)
			require.Equal(t, new(uint64(1)), remove.IfVersion)
			return abi.StatusOK, nil
		},
	}
	during(t, host, func(c *sdk.Call) error {
		version, err := c.Store(sdk.ScopeRun).PutIf("k", sdk.Bool(true), 0)
		require.NoError(t, err)
		require.EqualValues(t, 1, version)
		return c.Store(sdk.ScopeRun).DeleteIf("k", version)
	})
	conflict := operations{abi.OpKVPut: status(abi.ECONFLICT), abi.OpKVDelete: status(abi.ECONFLICT)}
	result := during(t, conflict, func(c *sdk.Call) error {
		_, err := c.Store(sdk.ScopeRun).PutIf("k", sdk.Bool(true), 3)
		require.Equal(t, sdk.ErrConflict, err)
		require.ErrorIs(t, c.Store(sdk.ScopeRun).DeleteIf("k", 3), sdk.ErrConflict)
		return err
	})
	require.Equal(t, &abi.Error{Type: "ECONFLICT", Message: "the entry has another version: read it again"}, result.Error)
}

func TestFetch(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	request := sdk.FetchRequest{
		Method: "POST", URL: "https://api.example.com/", Body: []byte("{}"),
		Headers: []sdk.Header{{Name: "authorization", Value: "Bearer ${secret:KEY}"}},
	}
	response := sdk.FetchResponse{Status: 404, URL: request.URL, Headers: []sdk.Header{{Name: "age", Value: "1"}}, Body: []byte("none")}
	during(t, operations{abi.OpHTTPFetch: replies(t, &request, &response)}, func(c *sdk.Call) error {
		got, err := c.Fetch(&request)
		require.NoError(t, err)
		require.Equal(t, &response, got)
		return nil
	})
	timeout := &sdk.Error{Type: "http_timeout", Message: "late", Retryable: true}
	failed, err := timeout.MarshalMsg(nil)
	require.NoError(t, err)
	late := operations{abi.OpHTTPFetch: func([]byte) (abi.Status, []byte) { return abi.StatusFailed, failed }}
	result := during(t, late, func(c *sdk.Call) error {
		_, err := c.Fetch(&request)
		return err
	})
	require.Equal(t, timeout, result.Error, "unlike that of next, nobody else tells the failure of an operation")
}

func TestGenerate(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	request := sdk.GenerateRequest{Messages: []sdk.Message{abi.Human("spam?")}, System: sdk.Text("yes or no")}
	host := operations{abi.OpModelGenerate: replies(t, &request, &abi.ModelResponse{Messages: []abi.Message{abi.AI("yes")}})}
	during(t, host, func(c *sdk.Call) error {
		response, err := c.Generate(&request)
		require.NoError(t, err)
		require.Equal(t, "yes", response.Messages[0].Content.Text())
		return nil
	})
}

func TestCallTool(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	args := sdk.Map{{Key: "q", Value: sdk.String("go")}}
	answer := abi.ToolResult(abi.ToolCall{ID: "c1", Name: "search"}, "3 hits")
	host := operations{abi.OpToolCall: replies(t, &abi.ToolRequest{Args: args.Raw(), Name: "search"}, &abi.ToolReply{ToolMessage: answer})}
	during(t, host, func(c *sdk.Call) error {
		message, err := c.CallTool("search", args)
		require.NoError(t, err)
		require.Equal(t, "3 hits", message.Content.Text())
		return nil
	})
	require.Nil(t, during(t, operations{abi.OpToolCall: status(abi.StatusInterrupted)}, func(c *sdk.Call) error {
		_, err := c.CallTool("search", nil)
		require.ErrorIs(t, err, sdk.ErrClosed)
		return err
	}))
	require.Equal(t, "EBUSY", during(t, operations{abi.OpToolCall: status(abi.EBUSY)}, func(c *sdk.Call) error {
		_, err := c.CallTool("search", nil)
		return err
	}).Error.Type)
}

func TestClockAndRandomBytes(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	host := operations{
		abi.OpClockNow: func(payload []byte) (abi.Status, []byte) {
			require.Empty(t, payload)
			reply, _ := abi.Clock{UnixNS: 1767225600000000000}.MarshalMsg(nil)
			return abi.StatusOK, reply
		},
		abi.OpRandomBytes: replies(t, &abi.RandomRequest{Count: 3}, &abi.RandomBytes{Bytes: []byte{1, 2, 3}}),
	}
	during(t, host, func(c *sdk.Call) error {
		now, err := c.ClockNow()
		require.NoError(t, err)
		require.EqualValues(t, 1767225600000000000, now)
		random, err := c.RandomBytes(3)
		require.NoError(t, err)
		require.Equal(t, []byte{1, 2, 3}, random)
		return nil
	})
}

func TestOperationsThatAreNotGranted(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	during(t, operations{}, func(c *sdk.Call) error {
		store := c.Store(sdk.ScopeRun)
		_, _, getErr := store.Get("k")
		_, putErr := store.Put("k", nil)
		_, _, listErr := store.List("", "", 0)
		_, fetchErr := c.Fetch(&sdk.FetchRequest{})
		_, generateErr := c.Generate(&sdk.GenerateRequest{})
		_, toolErr := c.CallTool("t", nil)
		_, clockErr := c.ClockNow()
		_, randomErr := c.RandomBytes(1)
		for _, err := range []error{getErr, putErr, store.Delete("k"), listErr, fetchErr, generateErr, toolErr, clockErr, randomErr} {
			require.Equal(t, sdk.ErrDenied, err)
		}
		return nil
	})
}

func TestRepliesThatAreNotUnderstood(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	broken := func([]byte) (abi.Status, []byte) { return abi.StatusOK, []byte{0x01} }
	host := operations{}
	for _, op := range []string{
		abi.OpKVGet, abi.OpKVPut, abi.OpKVList, abi.OpHTTPFetch, abi.OpModelGenerate, abi.OpToolCall, abi.OpClockNow, abi.OpRandomBytes,
	} {
		host[op] = broken
	}
	during(t, host, func(c *sdk.Call) error {
		store := c.Store(sdk.ScopeRun)
		_, _, getErr := store.Get("k")
		_, putErr := store.Put("k", nil)
		_, _, listErr := store.List("", "", 0)
		_, fetchErr := c.Fetch(&sdk.FetchRequest{})
		_, generateErr := c.Generate(&sdk.GenerateRequest{})
		_, toolErr := c.CallTool("t", nil)
		_, clockErr := c.ClockNow()
		_, randomErr := c.RandomBytes(1)
		for _, err := range []error{getErr, putErr, listErr, fetchErr, generateErr, toolErr, clockErr, randomErr} {
			require.Error(t, err)
		}
		return nil
	})
}

// visits counts the runs of a thread in the plugin's store, even if several runs count at the same time.
type visits struct{}

func (visits) BeforeAgent(c *sdk.Call) (*sdk.Update, error) {
	for {
		value, version, err := c.Store(sdk.ScopeThread).Get("visits")
		if err != nil {
			return nil, err
		}
		n, _ := value.AsInt()
		if _, err = c.Store(sdk.ScopeThread).PutIf("visits", sdk.Int(n+1), version); err != sdk.ErrConflict { //nolint:errorlint // it is never wrapped
			return nil, err
		}
	}
}

// A conditional write fails if somebody else wrote first, and is then tried again.
func ExampleStore_PutIf() {
	sdk.Register(visits{}, sdk.Description{Name: "visits", Version: "1.0.0", Capabilities: []sdk.Capability{
		{Op: "kv.get", Reason: "counts the runs of a thread", Required: true},
		{Op: "kv.put", Reason: "counts the runs of a thread", Required: true},
	}})
	attempts := 0
	host := operations{
		"kv.get": func([]byte) (abi.Status, []byte) {
			reply, _ := (&abi.KVEntry{Value: sdk.Int(41), Version: 7}).MarshalMsg(nil)
			return abi.StatusOK, reply
		},
		"kv.put": func(payload []byte) (abi.Status, []byte) {
			attempts++
			if attempts == 1 {
				return abi.ECONFLICT, nil
			}
			fmt.Println(sdk.Raw(payload).JSON())
			reply, _ := abi.KVVersion{Version: 8}.MarshalMsg(nil)
			return abi.StatusOK, reply
		},
	}
	input, _ := (&abi.HookInput{Thread: "t1"}).MarshalMsg(nil)
	_, code := sdk.Invoke("before_agent", input, host)
	fmt.Println(code)
	// Output:
	// {"if_version":7,"key":"visits","scope":"thread","value":42}
	// 0
}

func TestWhatAHookCanLearn(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	yes := true
	host := operations{
		abi.OpRunInfo:     func([]byte) (abi.Status, []byte) { return encoded(t, &abi.RunInfo{Agent: "a", Parent: "r0"}) },
		abi.OpModelInfo:   replies(t, &abi.ModelQuery{Model: "small"}, &abi.ModelInfo{Name: "tiny", ImageInputs: &yes}),
		abi.OpTokensCount: replies(t, &abi.TokenQuery{Messages: []abi.Message{abi.Human("hi")}}, &abi.TokenCount{Tokens: 3}),
		abi.OpToolsRead:   status(abi.ENOTSUP),
		abi.OpClockSleep: func(payload []byte) (abi.Status, []byte) {
			_, want := encoded(t, abi.SleepRequest{DurationMS: 1500})
			require.Equal(t, want, payload)
			return abi.StatusOK, nil
		},
	}
	result := during(t, host, func(c *sdk.Call) error {
		info, err := c.RunInfo()
		require.NoError(t, err)
		require.Equal(t, &sdk.RunInfo{Agent: "a", Parent: "r0"}, info)
		m, err := c.ModelInfo("small")
		require.NoError(t, err)
		require.Equal(t, &sdk.ModelInfo{Name: "tiny", ImageInputs: &yes}, m)
		n, err := c.CountTokens(abi.Human("hi"))
		require.NoError(t, err)
		require.EqualValues(t, 3, n)
		return c.Sleep(1500 * time.Millisecond)
	})
	require.Nil(t, result, "no error")
}

func encoded(t *testing.T, doc interface {
	MarshalMsg(dst []byte) ([]byte, error)
},
) (abi.Status, []byte) {
	t.Helper()
	b, err := doc.MarshalMsg(nil)
	require.NoError(t, err)
	return abi.StatusOK, b
}

func TestSeveralAtOnce(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	sizes := []int{}
	host := operations{abi.OpBatch: func(payload []byte) (abi.Status, []byte) {
		var batch abi.Batch
		_, err := batch.UnmarshalMsg(payload)
		require.NoError(t, err)
		sizes = append(sizes, len(batch.Calls))
		var replies abi.BatchReplies
		for i, call := range batch.Calls {
			require.Equal(t, abi.OpHTTPFetch, call.Op)
			_, response := encoded(t, &abi.FetchResponse{Status: uint64(200 + i)})
			reply := abi.BatchReply{Reply: response}
			switch i {
			case 1:
				reply = abi.BatchReply{Status: abi.EDENIED}
			case 2:
				_, failure := encoded(t, &abi.Error{Type: "http_timeout", Message: "slow"})
				reply = abi.BatchReply{Status: abi.StatusFailed, Reply: failure}
			}
			replies.Replies = append(replies.Replies, reply)
		}
		return encoded(t, &replies)
	}}
	during(t, host, func(c *sdk.Call) error {
		requests := make([]*sdk.FetchRequest, abi.MaxBatch+1)
		for i := range requests {
			requests[i] = &sdk.FetchRequest{URL: fmt.Sprint("https://example.com/", i)}
		}
		all, err := c.FetchAll(requests...)
		require.NoError(t, err)
		require.Len(t, all, abi.MaxBatch+1)
		require.EqualValues(t, 200, all[0].Value.Status)
		require.Equal(t, sdk.ErrDenied, all[1].Err)
		require.Equal(t, &sdk.Error{Type: "http_timeout", Message: "slow"}, all[2].Err)
		require.Nil(t, all[2].Value)
		_, err = c.GenerateAll()
		return err
	})
	require.Equal(t, []int{abi.MaxBatch, 1}, sizes)
}
