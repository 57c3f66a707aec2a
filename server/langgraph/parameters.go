package langgraph

import (
	"github.com/agenthost/agenthost/server/internal/openapi"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// locations are the headers that say where a run is.
var locations = []string{"Content-Location", "Location"}

const (
	runStream = "The events of the run, one for each part of a mode. `event` is the mode, with `|` and a namespace for the events of subagents; " +
		"the first one is `metadata`, and `error` says why the run failed. `id` is a position for the header Last-Event-ID, and `data` is a JSON document. " +
		"Lines that begin with a colon show that the server lives."
	eventStream = "A page of events; with `follow`, a stream of them. A frame `event` has one, and a frame `over` says that a run is over: " +
		"`{run_id, status}`, where the status `removed` is that of a run that was rolled back. `id` is a position for the header Last-Event-ID. " +
		"The stream ends when the client goes away."
	protocolStream = "The events of all runs of the thread, in the form of LangGraph's streaming protocol (`langchain-protocol`). `id` is the member `seq` " +
		"of the event, from which `since` goes on. The stream ends when the client goes away."
	protocolSocket = "A WebSocket with commands and events of LangGraph's streaming protocol (`langchain-protocol`). Each message is a document in JSON. " +
		"`subscription.subscribe` has the members of the body of POST as parameters, and the other commands are those of `/threads/{thread_id}/commands`."
	threadStream = "The events of all runs of the thread, as in the streams of these runs. The stream ends when the client goes away."
)

var (
	textSchema = openapi.Schema{"type": "string"}
	flagSchema = openapi.Schema{"anyOf": []any{openapi.Schema{"type": "boolean"}, openapi.Schema{"type": "integer", "enum": []int{0, 1}}}}

	limitParameter = openapi.Parameter{
		In: "query", Name: "limit", Description: "The length of the list.", Schema: openapi.Schema{"type": "integer", "minimum": 1},
	}
	offsetParameter = openapi.Parameter{
		In: "query", Name: "offset", Description: "The number of rows to leave out.", Schema: openapi.Schema{"type": "integer", "minimum": 0},
	}
	statusParameter = openapi.Parameter{
		In: "query", Name: "status", Description: "Only runs with this status.",
		Schema: openapi.Schema{"type": "string", "enum": []string{"pending", "running", "success", "error", "timeout", "interrupted"}},
	}
	selectParameter = openapi.Parameter{
		In: "query", Name: "select", Description: "The members of the objects in the answer; without it, all.",
		Schema: openapi.Schema{"type": "array", "items": textSchema},
	}
	modeParameter = openapi.Parameter{
		In: "query", Name: "stream_mode", Description: "What the client sees; without it, what the client wanted that started the run.",
		Schema: openapi.Schema{"type": "array", "items": openapi.Schema{"type": "string", "enum": append([]frames.Mode{""}, frames.Modes()...)}},
	}
	threadModeParameter = openapi.Parameter{
		In: "query", Name: "stream_mode", Description: "What the client sees; without it, run_modes.",
		Schema: openapi.Schema{"type": "array", "items": openapi.Schema{"type": "string", "enum": []string{modeRuns, modeLifecycle, modeState}}},
	}
	dayParameter        = textParameter("since", "A day in UTC, such as 2026-11-01; without it, the first of this month")
	sinceParameter      = textParameter("since", "The id of an event: only those that follow it")
	eventLimitParameter = openapi.Parameter{
		In: "query", Name: "limit", Description: "The largest number of events on the page.",
		Schema: openapi.Schema{"type": "integer", "minimum": 1, "default": defaultEvents},
	}
	lastEventParameter = openapi.Parameter{
		In: "header", Name: "Last-Event-ID", Description: "The id of the last event that the client has seen; -1 is before all of them.", Schema: textSchema,
	}
	cancelParameter = flagParameter("cancel_on_disconnect", "Whether the run is cancelled when the client goes away")
	followParameter = flagParameter("follow", "Whether the answer is a stream that goes on with the events to come")
	actionParameter = openapi.Parameter{
		In: "query", Name: "action", Description: "rollback removes the run and what it did.",
		Schema: openapi.Schema{"type": "string", "enum": []string{"interrupt", "rollback"}, "default": "interrupt"},
	}
	namespaceParameter = textParameter("namespace", "The labels of the namespace, separated by periods")
	keyParameter       = textParameter("key", "The key of the item")
)

func textParameter(name, description string) openapi.Parameter {
	return openapi.Parameter{In: "query", Name: name, Description: description + ".", Schema: textSchema}
}

func flagParameter(name, description string) openapi.Parameter {
	return openapi.Parameter{In: "query", Name: name, Description: description + ".", Schema: flagSchema}
}

// ignored is a parameter of LangGraph's API that makes no difference.
func ignored(name string) openapi.Parameter {
	return openapi.Parameter{In: "query", Name: name, Description: "It makes no difference.", Schema: textSchema}
}

// needed returns a parameter that must be there.
func needed(p openapi.Parameter) openapi.Parameter {
	p.Required = true
	return p
}
