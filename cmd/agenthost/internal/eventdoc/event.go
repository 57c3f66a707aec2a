package eventdoc

import "github.com/agenthost/agenthost/host"

// Kind describes a type of event.
type Kind struct {
	Type     host.EventType
	About    string
	Required []string // the keys that every event of the type has, besides those that all events have
	Optional []string // the other keys
}

// Common are the keys of all events; thread and agent are absent if the run has none.
var Common = []string{"type", "seq", "time", "run", "thread", "agent"}

// Kinds returns all types of events.
func Kinds() []Kind { return kinds }

var kinds = []Kind{
	{
		host.EventRun, "The run starts or goes on, with the messages and answers of its input",
		[]string{},
		[]string{"messages", "answers", "metadata", "version"},
	},
	{host.EventStep, "A step starts", []string{"step", "index"}, nil},
	{
		host.EventHook, "A hook of a middleware ended, with the update that it returned or its error",
		[]string{"step"},
		[]string{"call", "messages", "update", "error", "interrupts", "duration", "fuel", "memory", "host_calls", "digest", "instance"},
	},
	{host.EventModel, "A model call ended", []string{"step"}, []string{"model", "messages", "error", "first_token", "duration", "cost"}},
	{
		host.EventModelRequest, "A model is about to be called: all that the agent asks, or what a hook changed in that; only where a program asked for it",
		[]string{"step", "request"},
		nil,
	},
	{
		host.EventTool, "A tool call starts, or ended: then it has messages, an error or interrupts",
		[]string{"step", "call"},
		[]string{"messages", "error", "interrupts", "duration"},
	},
	{
		host.EventToken, "A piece of the model's answer arrived; a new index voids all earlier pieces of the step",
		[]string{"step", "index", "message"},
		[]string{"text", "reasoning", "call_piece"},
	},
	{host.EventState, "The input or a step changed the state", []string{}, []string{"step", "messages", "patch", "remove", "reset", "state", "unset"}},
	{
		host.EventCheckpoint, "The thread was saved; its step is the one that was performed last",
		[]string{"checkpoint", "source"},
		[]string{"parent", "step", "next"},
	},
	{host.EventCustom, "A hook or tool emitted it", []string{"step", "name"}, []string{"data"}},
	{host.EventWarn, "Something was ignored or discarded", []string{"text"}, []string{"step"}},
	{host.EventAlert, "A tool is called more often than tool_calls.alert allows", []string{"step", "call", "text"}, nil},
	{host.EventEnd, "The run is over, or waits", []string{"status"}, []string{"next", "error", "interrupts", "duration", "cost"}},
}

// keys returns the keys of events besides type and version.
func keys() map[string]object {
	return map[string]object{
		"seq":         count("The number of the event in its run, from 1; it starts anew when a run continues"),
		"time":        {"type": "string", "format": "date-time", "description": "When it happened"},
		"agent":       text("The name of the agent"),
		"run":         text("The id of the run"),
		"thread":      text("The name of the thread"),
		"checkpoint":  count("The number of the checkpoint that was saved"),
		"parent":      count("The number of the checkpoint that it follows; absent if it is the first"),
		"source":      {"type": "string", "enum": []string{"input", "loop", "update", "fork", "resume"}, "description": "Why the checkpoint was made"},
		"message":     text("The id of the message that the piece belongs to"),
		"call_piece":  reference("call_piece"),
		"step":        text("The name of the step or hook"),
		"index":       count("The number of the step in the run, from 1; in a token event, the number of the model call in its step"),
		"call":        reference("tool_call"),
		"model":       text("The name of the model that answered"),
		"messages":    listOf(reference("message"), "In a state event, the messages that were added; otherwise those of the input, the answer or the result"),
		"patch":       listOf(reference("message"), "The messages that were replaced, whole"),
		"remove":      listOf(object{"type": "string"}, "The ids of the messages that were removed"),
		"reset":       {"type": "boolean", "description": "Whether messages are the whole history"},
		"state":       mapOf("The values of the fields that changed"),
		"unset":       listOf(object{"type": "string"}, "The fields that no longer have a value"),
		"update":      reference("update"),
		"request":     reference("request"),
		"text":        text("A piece of the answer, or the text of a warning"),
		"reasoning":   text("A piece of the model's reasoning"),
		"name":        text("The name of a custom event"),
		"data":        {"description": "The content of a custom event, in any form"},
		"interrupts":  listOf(reference("interrupt"), "The questions that wait for an answer"),
		"metadata":    mapOf("What the caller wants to find again with the run"),
		"answers":     mapOf("The answers by the ids of their interrupts"),
		"error":       reference("error"),
		"status":      {"type": "string", "enum": []string{"completed", "failed", "interrupted", "cancelled"}, "description": "How the run ended"},
		"next":        text("The step that the run performs when it continues; absent if it is over"),
		"first_token": count("How long a model took for its first token, in nanoseconds; absent if the answer did not come in tokens"),
		"duration":    count("How long it took, in nanoseconds"),
		"cost": map[string]any{
			"type": "number", "minimum": 0, "description": "What it cost, in the currency of the manifest's prices; absent if that is unknown",
		},
		"fuel":       count("The fuel that a plugin's hook used"),
		"memory":     count("The memory of the plugin's instance after the call, in bytes"),
		"host_calls": count("How often the plugin's hook asked the host for an operation"),
		"digest":     text("The digest of the plugin"),
		"instance":   count("The number of the plugin's instance"),
	}
}
