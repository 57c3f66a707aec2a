package langgraph_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// notCompared are recordings that are not held again.
var notCompared = map[string]string{
	"s06_subgraphs_on": "a graph within a graph, which an agent cannot be; package server/langgraph has tests of agents within agents",
}

// exception is a difference that is meant.
type exception struct {
	recording string // the beginning of its name; "": any
	path      string // the end of the request's path; "": any
	differs   string // a part of the difference
	because   string
}

var exceptions = []exception{
	{"", "", "lc_versions", "there is no LangChain here"},
	{"s01_system", "/metrics", "the status is 404", "metrics are for operators, and not on the address of clients"},
	{"s01_system", "/threads", "the header content-type", "the answer to a preflight request is empty"},
	{"s02_assistants", "/graph", "metadata.__tools", "the tools of an agent can change while it runs"},
	{"s02_assistants", "/schemas", "$defs", "the schema of a message is shorter, and stands where it is used"},
	{"s02_assistants", "/schemas", "properties", "the fields are those of our middleware, with their own schemas"},
	{"s02_assistants", "/subgraphs", "child", "an agent has no graph within a graph"},
	{"s05_stream_events", "/stream", "goto", "LangChain's model step returns a command"},
	{"s05_stream_events", "/stream", "update", "LangChain's model step returns a command"},
	{"s05_stream_events", "/stream", ".data.chunk[]", "LangChain's model step returns a list of commands"},
	{"s05_stream_events", "/stream", ".data.output[]", "LangChain's model step returns a list of commands"},
	{"s05_stream_events", "/stream", "[system]", "events do not show system prompts"},
	{"s11_interrupt", "/stream", "event updates: [].first", "the steps of middleware have names of their own, such as first.before_agent"},
	{"s11_interrupt", "/stream", "event updates: [].ask", "the steps of middleware have names of their own, such as ask.before_agent"},
	{"s11_interrupt", "/stream", "event updates: [].last", "the steps of middleware have names of their own, such as last.before_agent"},
	{"s12_hitl", "/stream", "HumanInTheLoopMiddleware", "our human_in_the_loop leaves the answer as it is, and notes decisions in a field that clients do not see"},
	{"s12_hitl", "/stream", "the events are", "our human_in_the_loop leaves the answer as it is, and notes decisions in a field that clients do not see"},
	{"s12_hitl", "/state", "hitl_edited_tool_calls", "our human_in_the_loop notes edits in the result of the tool"},
	{"s16_history", "", "tasks[].path[]", "LangGraph has a checkpoint before each input, so that the checkpoints of the recording are others"},
	{"s16_history", "/history", "metadata.checkpoint_id", "the metadata of a checkpoint have no copy of the request"},
	{"s19_store", "/store/items/search", "the status is 200, not 500", "the recorded server failed"},
	{"s22_protocol", "/stream/events", "the events are [lifecycle checkpoints values", "the recorded server sends nothing on the channels updates, tasks, checkpoints and custom"},
	{"s22_protocol", "/stream/events", "the events are [lifecycle values", "a seq is a place among the events of the run, so that 3 is before all of ours"},
	{"s22_protocol", "/stream/events", "content[text].index", "the index of a block is for the pieces of a message"},
	{"s22_protocol", "/commands", "is missing", "our server knows the command state.get"},
	{"s24_auth", "", "metadata.owner", "the recorded server has rules that write owners into metadata"},
	{"s24_auth", "/store/items", "the status is 204, not 403", "each owner has namespaces of their own, so that nobody writes into those of others"},
	{"s24_auth", "/threads", "the status is 200, not 400", "the recorded server does not let pages send keys"},
}

// usedExceptions notes which exceptions there was a use for.
type usedExceptions struct {
	mu   sync.Mutex
	used map[int]bool
}

func (u *usedExceptions) excepted(name string, e *exchange, difference string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i, x := range exceptions {
		if strings.HasPrefix(name, x.recording) && strings.HasSuffix(e.Request.Path, x.path) && strings.Contains(difference, x.differs) {
			if u.used == nil {
				u.used = map[int]bool{}
			}
			u.used[i] = true
			return true
		}
	}
	return false
}

// check fails if there are exceptions that nothing needs any more.
func (u *usedExceptions) check(t *testing.T) {
	t.Helper()
	for i, x := range exceptions {
		require.NotEmpty(t, x.because)
		require.True(t, u.used[i], "nothing differs like this: %+v", x)
	}
}
