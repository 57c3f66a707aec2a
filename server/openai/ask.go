package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
)

// ask is what a client wants, in the form that chat completions and responses have in common.
type ask struct {
	kind         string // of the request: chat or response
	model        string
	instructions string
	messages     []abi.Message
	metadata     metadata
	conversation json.RawMessage
	previous     string // id of the response that it follows
	format       json.RawMessage
	formatParam  string
	store        bool // the thread is kept
	background   bool // the run goes on without the client
	show         []string
	tools        []host.ClientTool
	request      any // for the client to see again
}

// metadata are notes of a client. Two of them mean something here: thread_id and resume.
type metadata map[string]string

// extras are what a client may ask of this server alone.
type extras struct {
	Show []string `json:"show" jsonschema:"What is shown of the work beside the answer: reasoning, progress."`
}

// showHeader is the header that does the same.
const showHeader = "X-Agenthost-Show"

// What can be shown.
const (
	showReasoning = "reasoning"
	showProgress  = "progress"
)

// shown returns what the client wants to see beside the answer.
func shown(c *door.Call, e *extras) ([]string, error) {
	var out []string
	if e != nil {
		out = e.Show
	}
	for word := range strings.SplitSeq(c.R.Header.Get(showHeader), ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	for _, word := range out {
		if word != showReasoning && word != showProgress {
			return nil, invalid("agenthost.show", "agenthost.show has %.64q; use %s or %s", word, showReasoning, showProgress)
		}
	}
	return out, nil
}

func (a *ask) shows(what string) bool { return slices.Contains(a.show, what) }

// kept is what the row of a run says of the request.
type kept struct {
	OpenAI keptRequest `json:"openai"`
}

type keptRequest struct {
	Kind       string          `json:"kind"`
	Model      string          `json:"model"`
	Show       []string        `json:"show,omitempty"`
	Structured bool            `json:"structured,omitempty"`
	Format     json.RawMessage `json:"format,omitempty"`
	Request    json.RawMessage `json:"request"`
}

// submit submits the run that a client asks for, says in the headers where it is, and returns how the client sees it.
func (h *Handler) submit(c *door.Call, a *ask) (*view, error) {
	assistant, err := h.assistant(c, a.model)
	if err != nil {
		return nil, err
	}
	agent, err := h.Service.Agent(assistant.Agent)
	if err != nil {
		return nil, err
	}
	wanted, err := formatOf(a.format, a.formatParam)
	if err != nil {
		return nil, err
	}
	if err := wanted.suits(&agent, a.formatParam); err != nil {
		return nil, err
	}
	p, err := h.placeOf(c, a)
	if err != nil {
		return nil, err
	}
	sub := &runs.Submission{
		Owner: c.Owner, Thread: p.thread, Assistant: assistant, Strategy: runs.StrategyReject, Create: true, Keep: a.store, Resumable: a.background,
		Metadata: runs.Metadata{},
	}
	for name, value := range a.metadata {
		if name != "resume" && name != "thread_id" {
			sub.Metadata[name] = value
		}
	}
	if err := h.task(c, &sub.Task, a, p); err != nil {
		return nil, err
	}
	if err := applyAssistant(&sub.Task, assistant, &agent); err != nil {
		return nil, err
	}
	request, err := json.Marshal(a.request)
	if err != nil {
		return nil, err
	}
	structured := len(agent.ResponseFormats()) > 0
	if sub.Request, err = json.Marshal(kept{keptRequest{a.kind, a.model, a.show, structured, a.format, request}}); err != nil {
		return nil, err
	}
	run, err := h.Service.Submit(c.R.Context(), sub)
	if err != nil {
		return nil, err
	}
	c.W.Header().Set(threadHeader, run.Thread)
	c.W.Header().Set(runHeader, run.ID)
	return viewOf(run)
}

// task fills in what the run is to do.
func (h *Handler) task(c *door.Call, t *runs.Task, a *ask, p *place) (err error) {
	t.ClientTools = a.tools
	if answer, ok := a.metadata["resume"]; ok {
		if p.now == nil {
			return invalid("metadata.resume", "metadata.resume answers a question of a thread; name it with the header %s, metadata.thread_id, "+
				"conversation or previous_response_id", threadHeader)
		}
		t.Answers, err = answersOf(p.now, answer, c.Principal.Name)
		return err
	}
	messages := p.news(withInstructions(a.instructions, a.messages))
	if results := messages[len(instructionsIn(messages)):]; p.waits() && onlyResults(results) {
		t.Answers, err = h.resultsOf(c, p.now, results)
		return err
	}
	if len(messages) == len(instructionsIn(messages)) && p.begun() {
		return invalid("messages", "the request has no message after the agent's last one; send a message")
	}
	if t.Messages = messages; messages == nil {
		t.Messages = []abi.Message{}
	}
	t.Checkpoint = p.checkpoint
	return nil
}
