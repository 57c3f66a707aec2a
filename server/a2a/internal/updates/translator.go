package updates

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
)

// StructuredArtifact is the id of the artifact with the answer in the form that the agent's response format asks for. It is also the name of the
// field of the agent's state.
const StructuredArtifact = "structured_response"

// Translator translates the events of the run that performs a task. It must not be used by two goroutines at once.
type Translator struct {
	task    a2a.TaskInfo
	attempt int
	working bool
	said    *answer // the message that the model is writing; nil: none
	at      string  // names the present event
	out     []a2a.Event
}

// answer is a message as far as the model has written it.
type answer struct {
	id    a2a.ArtifactID
	index int // number of the model call
	text  strings.Builder
}

// New returns a translator for a task.
func New(task a2a.TaskInfo) *Translator {
	return &Translator{task: task}
}

// Translate returns the updates of an event. The end of the run gives none: the caller finds out how the task stands then. The error
// says that the event cannot be read.
func (t *Translator) Translate(e *runs.Event) ([]a2a.Event, error) {
	t.out, t.at = nil, fmt.Sprintf("%s-%d", e.Run, e.Seq)
	if n := e.Attempt(); n > t.attempt {
		t.attempt, t.said = n, nil // what was written and not saved is void: the next piece of the message replaces it
	}
	event, err := e.Host()
	if err != nil {
		return nil, err
	}
	switch event.Type {
	case host.EventStep:
		if !t.working {
			t.working = true
			t.status(event.Time, nil, nil)
		}
	case host.EventToken:
		t.token(event)
	case host.EventTool:
		t.called(event)
	case host.EventCustom:
		t.custom(event)
	case host.EventState:
		t.changed(event)
	case host.EventRun, host.EventHook, host.EventModel, host.EventModelRequest, host.EventCheckpoint, host.EventWarn, host.EventAlert, host.EventEnd:
	}
	return t.out, nil
}

// status tells that the task is being worked on, with what the agent says about it.
func (t *Translator) status(at time.Time, said *a2a.Message, metadata map[string]any) {
	t.out = append(t.out, &a2a.TaskStatusUpdateEvent{
		TaskID: t.task.TaskID, ContextID: t.task.ContextID, Metadata: metadata,
		Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: said, Timestamp: &at},
	})
}

// token shows a piece of an answer.
func (t *Translator) token(e *host.Event) {
	if e.Text == "" || e.Message == "" {
		return
	}
	id := a2a.ArtifactID(e.Message)
	goesOn := t.said != nil && t.said.id == id && t.said.index == e.Index
	if !goesOn { // a model that is asked again writes the same message anew
		t.said = &answer{id: id, index: e.Index}
	}
	t.said.text.WriteString(e.Text)
	t.artifact(&a2a.Artifact{ID: id, Name: answerName, Parts: a2a.ContentParts{a2a.NewTextPart(e.Text)}}, goesOn, false)
}

// artifact shows an artifact, or what is added to it.
func (t *Translator) artifact(a *a2a.Artifact, add, last bool) {
	t.out = append(t.out, &a2a.TaskArtifactUpdateEvent{TaskID: t.task.TaskID, ContextID: t.task.ContextID, Artifact: a, Append: add, LastChunk: last})
}

// changed shows the answers that a step added, and ends the one that was shown in pieces.
func (t *Translator) changed(e *host.Event) {
	for i := range e.Messages {
		m := &e.Messages[i]
		artifact := ArtifactOf(m)
		switch {
		case artifact == nil || e.Step == inputStep:
		case e.Reset && (t.said == nil || t.said.id != artifact.ID): // it was there before
		case t.said != nil && t.said.text.String() == m.Content.Text() && len(artifact.Parts) == 1:
			t.artifact(&a2a.Artifact{ID: t.said.id, Name: answerName, Parts: a2a.ContentParts{a2a.NewTextPart("")}}, true, true)
			t.said = nil
		default:
			t.artifact(artifact, false, true) // a hook has changed it, or it did not come in pieces
			t.said = nil
		}
	}
	if value := e.State.Get(StructuredArtifact); !value.IsNil() {
		t.artifact(Structured(value), false, true)
	}
}

// answerName is the name of artifacts that are something the agent says.
const answerName = "answer"

// inputStep is the step of the event that shows what the input changed.
const inputStep = "input"

// ArtifactOf returns the artifact that a message is; nil if it is none: only what the agent says is.
func ArtifactOf(m *abi.Message) *a2a.Artifact {
	if m.Role != abi.RoleAI {
		return nil
	}
	parts := Parts(m.Content)
	if len(parts) == 0 {
		return nil
	}
	return &a2a.Artifact{ID: a2a.ArtifactID(m.ID), Name: answerName, Parts: parts}
}

// Structured returns the artifact with a structured answer.
func Structured(value wire.Raw) *a2a.Artifact {
	return &a2a.Artifact{
		ID: StructuredArtifact, Name: StructuredArtifact,
		Parts: a2a.ContentParts{{Content: a2a.Data{Value: json.RawMessage(value.JSON())}, MediaType: "application/json"}},
	}
}

// called tells that a tool is called.
func (t *Translator) called(e *host.Event) {
	if e.Call == nil || e.Messages != nil || e.Error != nil || e.Interrupts != nil || e.Duration != 0 { // it has ended
		return
	}
	said := t.message(a2a.NewTextPart("Calling the tool " + e.Call.Name + "."))
	t.status(e.Time, said, map[string]any{"tool": e.Call.Name, "tool_call_id": e.Call.ID})
}

// custom shows what a hook or tool tells of itself. What an agent that runs as a tool does is not shown.
func (t *Translator) custom(e *host.Event) {
	if e.Name == tool.AgentEvent {
		return
	}
	data := map[string]any{"name": e.Name}
	if !e.Data.IsZero() {
		data["data"] = json.RawMessage(e.Data.JSON())
	}
	t.status(e.Time, t.message(a2a.NewDataPart(data)), nil)
}

// message returns a message of the agent about the present event, whose id is the same whenever the event is translated.
func (t *Translator) message(parts ...*a2a.Part) *a2a.Message {
	m := a2a.NewMessageForTask(a2a.MessageRoleAgent, t.task, parts...)
	m.ID = t.at
	return m
}
