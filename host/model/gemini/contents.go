package gemini

import (
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// These are the roles of turns.
const (
	roleModel = "model"
	roleUser  = "user"
)

// content is a turn of a conversation.
type content struct {
	Role  string `json:"role"`
	Parts []any  `json:"parts"`

	answers bool // it has answers to calls and nothing else
}

// goOn fills a user turn that the API requires but the history lacks: at the beginning, and after a final turn of the model.
const goOn = "Continue."

// conversation converts the history for the API, which refuses
//   - a turn without parts,
//   - a call that does not follow a turn of the user or the answers to other calls (so adjacent turns of one side are merged),
//   - answers to calls that do not match the calls in number, or do not follow them at once,
//   - anything else in a turn of answers, since Gemini 3.7,
//   - a conversation that ends with the model's turn, since Gemini 3.5.
type conversation struct {
	provider string
	model    *Model
	messages history.List
	person   int // index of the last human message; -1: none
	told     map[int]bool
	contents []content
	system   []any
}

// contents returns the turns of a request, and the texts of the system prompts.
func (m *Model) contents(req *model.Request) (contents []content, system []any) {
	messages := provider.Portable(req.Messages, m.provider(), blockPrefix, KeySignature, MetaCalls)
	c := conversation{
		provider: m.provider(), model: m, messages: messages, person: -1, told: map[int]bool{}, system: texts(req.System),
	}
	for i, message := range c.messages.All() {
		if message.Role == abi.RoleHuman {
			c.person = i
		}
	}
	for i, message := range c.messages.All() {
		c.add(i, message)
	}
	if len(c.contents) == 0 || c.contents[0].Role != roleUser {
		first := content{Role: roleUser, Parts: []any{textPart(goOn)}}
		c.contents = append([]content{first}, c.contents...)
	}
	if c.contents[len(c.contents)-1].Role != roleUser {
		c.say(roleUser, textPart(goOn))
	}
	return c.contents, c.system
}

func (c *conversation) add(i int, m *abi.Message) {
	switch m.Role {
	case abi.RoleSystem:
		c.system = append(c.system, texts(m.Content)...)
	case abi.RoleAI:
		c.addAnswer(i, m)
	case abi.RoleTool:
		if !c.told[i] { // its call is not in the history
			_, parts := resultParts(m, false)
			c.say(roleUser, textPart("The tool "+m.Name+" returned: "+resultText(m)))
			c.say(roleUser, parts...)
		}
	default:
		c.say(roleUser, personParts(m.Content)...)
	}
}

// addAnswer adds a message of the model and then the answers to its calls. They are in the order of the calls: without ids,
// that is how the API tells calls of one tool apart.
func (c *conversation) addAnswer(i int, m *abi.Message) {
	answers := c.answers(i)
	calls := calls(m, answers)
	notes := assign(readNotes(m.Meta), calls)
	parts := modelParts(m, c.provider)
	for j := range calls {
		signature := notes[j].signature
		if j == 0 && signature == "" && i > c.person && modern(c.model.Name) {
			signature = noSignature
		}
		parts = append(parts, part{
			FunctionCall:     &functionCall{ID: provider.ID(notes[j].id), Name: calls[j].Name, Args: object(calls[j].Args, "{}")},
			ThoughtSignature: signature,
		})
	}
	c.say(roleModel, parts...)
	var responses, shown []any
	for j := range calls {
		at, ok := answers[calls[j].ID]
		if !ok {
			continue
		}
		c.told[at] = true
		answer := c.messages.At(at)
		inside, beside := resultParts(&answer, modern(c.model.Name))
		responses = append(responses, part{FunctionResponse: &functionResponse{
			ID: notes[j].id, Name: calls[j].Name, Response: response(&answer), Parts: inside,
		}})
		if len(beside) > 0 {
			shown = append(append(shown, textPart("From the tool "+calls[j].Name+":")), beside...)
		}
	}
	if len(responses) > 0 {
		c.contents = append(c.contents, content{Role: roleUser, Parts: responses, answers: true})
	}
	c.say(roleUser, shown...)
}

// answers returns the indexes of the answers to a message's calls, by call id. It searches only up to the model's next
// message, because ids are unique only within a message.
func (c *conversation) answers(i int) map[string]int {
	out := map[string]int{}
	for j := i + 1; j < c.messages.Len(); j++ {
		m := c.messages.Entry(j).Message()
		if m.Role == abi.RoleAI {
			break
		}
		if _, ok := out[m.ToolCallID]; m.Role == abi.RoleTool && !ok {
			out[m.ToolCallID] = j
		}
	}
	return out
}

// say adds parts to the current turn if it has the role, or else begins a turn.
func (c *conversation) say(role string, parts ...any) {
	if len(parts) == 0 {
		return
	}
	if last := len(c.contents) - 1; last >= 0 && c.contents[last].Role == role && !c.contents[last].answers {
		c.contents[last].Parts = append(c.contents[last].Parts, parts...)
		return
	}
	c.contents = append(c.contents, content{Role: role, Parts: parts})
}

// noSignature replaces the signature of a call that the model did not make, or not in this form. In the current turn, Gemini 3
// refuses calls without one: https://ai.google.dev/gemini-api/docs/thought-signatures. Only the first call of a message needs
// one.
const noSignature = "skip_thought_signature_validator"

var generation = lazyregexp.New(`gemini-(\d+)`)

// modern reports whether a model is Gemini 3 or later, which it assumes if the name does not tell. Such a model requires
// signatures, and accepts media inside answers to calls.
func modern(name string) bool {
	found := generation().FindStringSubmatch(name)
	if found == nil {
		return true
	}
	n, err := strconv.Atoi(found[1])
	return err != nil || n >= 3
}
