package eventdoc_test

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/eventdoc"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// keysOf returns the keys that the tags of a struct give its fields.
func keysOf[T any](tag string) (keys []string) {
	for field := range reflect.TypeFor[T]().Fields() {
		if key, _, _ := strings.Cut(field.Tag.Get(tag), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

func properties(t *testing.T, schema map[string]any) []string {
	t.Helper()
	return slices.Collect(maps.Keys(inside(t, schema, "properties")))
}

// inside returns the object under a key.
func inside(t *testing.T, schema map[string]any, key string) map[string]any {
	t.Helper()
	object, ok := schema[key].(map[string]any)
	require.True(t, ok, key)
	return object
}

func TestTheSchemaHasTheKeysOfTheGoTypes(t *testing.T) {
	t.Parallel()
	schema := eventdoc.Schema()
	require.ElementsMatch(t, append(keysOf[host.Event]("json"), keysOf[eventdoc.Line]("json")...), properties(t, schema))
	for name, keys := range map[string][]string{
		"message": keysOf[abi.Message]("msgpack"), "tool_call": keysOf[abi.ToolCall]("msgpack"), "invalid_tool_call": keysOf[abi.InvalidToolCall]("msgpack"),
		"usage": keysOf[abi.Usage]("msgpack"), "update": keysOf[host.EventUpdate]("json"), "interrupt": keysOf[host.Interrupt]("json"),
		"request": keysOf[host.EventRequest]("json"), "offered_tool": keysOf[host.OfferedTool]("json"), "request_messages": keysOf[host.EventMessages]("json"),
		"error": keysOf[host.EventError]("json"), "call_piece": keysOf[model.CallPiece]("json"),
	} {
		require.ElementsMatch(t, keys, properties(t, inside(t, inside(t, schema, "$defs"), name)), name)
	}
}

func TestEveryTypeAndKeyOfAnEventIsDescribed(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../../../host/event.go")
	require.NoError(t, err)
	document, err := os.ReadFile("../../../../docs/events.md")
	require.NoError(t, err)
	var types []string
	for _, found := range regexp.MustCompile(`EventType = "(\w+)"`).FindAllSubmatch(source, -1) {
		types = append(types, string(found[1]))
	}
	used := slices.Clone(eventdoc.Common)
	var described []string
	for _, kind := range eventdoc.Kinds() {
		described = append(described, string(kind.Type))
		used = append(append(used, kind.Required...), kind.Optional...)
		require.Contains(t, string(document), "\n| `"+string(kind.Type)+"` | ")
	}
	require.ElementsMatch(t, types, described)
	slices.Sort(used)
	require.ElementsMatch(t, slices.Compact(used), properties(t, eventdoc.Schema()))
	for _, key := range properties(t, eventdoc.Schema()) {
		require.Contains(t, string(document), "`"+key+"`")
	}
}
