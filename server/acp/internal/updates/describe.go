package updates

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// kinds are the kinds of the tools that middleware has, and of others with the same names.
var kinds = map[string]protocol.ToolKind{
	"read_file": protocol.KindRead, "view_file": protocol.KindRead, "read_resource": protocol.KindRead,
	"write_file": protocol.KindEdit, "edit_file": protocol.KindEdit, "str_replace_based_edit_tool": protocol.KindEdit,
	"delete_file": protocol.KindDelete,
	"list_files":  protocol.KindSearch, "find_files": protocol.KindSearch, "search_files": protocol.KindSearch,
	"ls": protocol.KindSearch, "glob": protocol.KindSearch, "grep": protocol.KindSearch, "glob_search": protocol.KindSearch,
	"grep_search": protocol.KindSearch, "search": protocol.KindSearch, "web_search": protocol.KindSearch,
	"shell": protocol.KindExecute, "bash": protocol.KindExecute, "execute": protocol.KindExecute,
	"write_todos": protocol.KindThink, "think": protocol.KindThink,
	"fetch": protocol.KindFetch, "http_get": protocol.KindFetch, "web_fetch": protocol.KindFetch,
}

// tellingArgs are arguments that tell what a call is about, the most telling first.
var tellingArgs = []string{"command", "file_path", "path", "pattern", "query", "url", "description"}

// maxTitle is the length of the part of a title that comes from an argument, in characters.
const maxTitle = 100

// Describe returns what a client is shown of a call: its name, kind, files and arguments, and its title.
func (t *Translator) Describe(made *abi.ToolCall) (shown protocol.ToolCall, title string) {
	shown, title, _ = t.describe(made)
	return shown, title
}

func (t *Translator) describe(made *abi.ToolCall) (shown protocol.ToolCall, title string, editor bool) {
	shown = protocol.ToolCall{Name: made.Name, Kind: protocol.KindOther, RawInput: json.RawMessage(made.Args.JSON())}
	if kind, ok := kinds[made.Name]; ok {
		shown.Kind = kind
	}
	if t.Editor != nil {
		if kind, locations, ok := t.Editor(made); ok {
			shown.Kind, shown.Locations = kind, locations
			editor = kind != protocol.KindRead
		}
	}
	title = text.Clean(text.Cut(made.Name, maxTitle))
	for _, name := range tellingArgs {
		if value, ok := made.Args.Get(name).AsString(); ok && value != "" {
			return shown, title + ": " + text.Clean(text.Cut(text.OneLine(value), maxTitle)), editor
		}
	}
	return shown, title, editor
}
