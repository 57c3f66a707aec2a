package protocol

import "encoding/json"

// Version is the version of the protocol.
const Version = "1.0"

// frame is an event of the protocol. A member without a value is left out: the protocol knows no null.
type frame map[string]any

// The types of events.
const (
	runStarted       = "RUN_STARTED"
	runFinished      = "RUN_FINISHED"
	runError         = "RUN_ERROR"
	stepStarted      = "STEP_STARTED"
	stepFinished     = "STEP_FINISHED"
	textStart        = "TEXT_MESSAGE_START"
	textContent      = "TEXT_MESSAGE_CONTENT"
	textEnd          = "TEXT_MESSAGE_END"
	reasoningStart   = "REASONING_START"
	reasoningMessage = "REASONING_MESSAGE_START"
	reasoningContent = "REASONING_MESSAGE_CONTENT"
	reasoningClose   = "REASONING_MESSAGE_END"
	reasoningEnd     = "REASONING_END"
	callStart        = "TOOL_CALL_START"
	callArgs         = "TOOL_CALL_ARGS"
	callEnd          = "TOOL_CALL_END"
	callResult       = "TOOL_CALL_RESULT"
	stateSnapshot    = "STATE_SNAPSHOT"
	stateDelta       = "STATE_DELTA"
	messagesSnapshot = "MESSAGES_SNAPSHOT"
	customEvent      = "CUSTOM"
	subagentStarted  = "SUBAGENT_STARTED"
	subagentFinished = "SUBAGENT_FINISHED"
	subagentError    = "SUBAGENT_ERROR"
)

// maxFrame is the maximum size of a snapshot in bytes. The client gives up at 10 MB.
const maxFrame = 8 << 20

// emit adds a frame, which belongs to the agent inside the run that sub names; "": to the run.
func (t *Translator) emit(kind, sub string, f frame) {
	f["type"] = kind
	if t.time != 0 {
		f["timestamp"] = t.time
	}
	if sub != "" {
		f["subagentRunId"] = sub
	}
	text, err := json.Marshal(f)
	switch {
	case err != nil: // it is made of texts in JSON and of plain values
	case len(text) > maxFrame && (kind == stateSnapshot || kind == messagesSnapshot):
		t.emit(customEvent, "", frame{"name": "warn", "value": map[string]any{
			"text": "a " + kind + " is left out: it is larger than the protocol's clients accept",
		}})
	default:
		t.out = append(t.out, text)
	}
}
