package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Command is the command line that continues a thread.
type Command struct {
	Thread     string
	File       string        // path of the manifest; "": the command names none
	Set        []string      // overrides of the manifest
	Context    []string      // the values of --context
	Server     []string      // the flags that choose an agent of a server; nil: the agent is that of the manifest
	Checkpoint checkpoint.ID // checkpoint to continue after; 0: the newest
}

// Placeholder is in a command line in place of a secret.
const Placeholder = "SECRET"

// Note says what the person must fill in besides the words of a decision; "": nothing.
func (c Command) Note() string {
	hidden := func(value string) bool { return strings.HasSuffix(value, "="+Placeholder) || value == Placeholder }
	if slices.ContainsFunc(c.Context, hidden) {
		return "(values of --set and --context that may be secrets are not shown: put yours in place of " + Placeholder + ")"
	}
	if slices.ContainsFunc(c.Set, hidden) {
		return "(values of --set that may be secrets are not shown: put yours in place of " + Placeholder + ")"
	}
	return ""
}

// Line returns the command with more arguments, quoted for a shell.
func (c Command) Line(more ...string) string {
	words := []string{"agenthost", "resume"}
	if strings.HasPrefix(c.Thread, "-") {
		more = append(more, "--", c.Thread)
	} else {
		words = append(words, c.Thread)
	}
	words = append(words, c.options()...)
	if c.Checkpoint != 0 {
		words = append(words, "--checkpoint", strconv.FormatUint(uint64(c.Checkpoint), 10))
	}
	return Shell(append(words, more...))
}

// Chat returns the command that continues the thread as a chat, quoted for a shell.
func (c Command) Chat() string {
	return Shell(append([]string{"agenthost", "chat", "--thread", c.Thread}, c.options()...))
}

// options returns the flags that choose the agent and the context.
func (c Command) options() (words []string) {
	words = append(words, c.Server...)
	if c.File != "" {
		words = append(words, "-f", c.File)
	}
	for _, set := range c.Set {
		words = append(words, "--set", set)
	}
	for _, context := range c.Context {
		words = append(words, "--context", context)
	}
	return words
}

// Shell joins words to a command line, quoted for a shell.
func Shell(words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = quoted(word)
	}
	return strings.Join(out, " ")
}

// quoted quotes a word for a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("_-./:=@%+,", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Lines returns the commands that answer the waiting questions. If one call waits, there is a command for each allowed
// decision; otherwise one command answers everything. The person fills in the words in capitals. Without questions, Lines
// returns the command that continues the thread.
func (c Command) Lines(waiting []*Question) []string {
	var words []string
	if len(waiting) == 1 && len(waiting[0].Calls) == 1 {
		call := waiting[0].Calls[0]
		var lines []string
		for _, t := range call.Allowed {
			lines = append(lines, c.Line(flags(t, call.Ref)...))
			if t == Approve && call.Standing() {
				lines = append(lines, c.Line("--always", call.Ref))
			}
		}
		return lines
	}
	for _, q := range waiting {
		if q.Kind == Other {
			words = append(words, flags(Respond, q.ID)...)
		}
		for _, call := range q.Calls {
			words = append(words, flags(call.Allowed[0], call.Ref)...)
		}
	}
	return []string{c.Line(words...)}
}

// flags returns the flags that make a decision.
func flags(t Type, ref string) []string {
	switch t {
	case Edit:
		return []string{"--edit", ref + "=ARGUMENTS.json"}
	case Reject:
		return []string{"--reject", ref, "--message", "REASON"}
	case Respond:
		return []string{"--respond", ref, "--message", "ANSWER"}
	default:
		return []string{"--" + string(t), ref}
	}
}

// Choices describes the command-line flags for deciding a call.
func (c *Call) Choices() string {
	out := make([]string, len(c.Allowed))
	for i, t := range c.Allowed {
		words := flags(t, c.Ref)
		for i := range words {
			words[i] = quoted(words[i])
		}
		out[i] = strings.Join(words, " ")
	}
	return strings.Join(out, " | ")
}

// Heading describes in one line what a question is about, and who asks. The texts are untrusted.
func (q *Question) Heading(c *Call) string {
	if c == nil {
		call := ""
		if q.CallID != "" {
			call = ", call " + q.CallID
		}
		return fmt.Sprintf("%s of %s%s (id %s)", q.Key, q.Step, call, q.ID)
	}
	id := ""
	if c.ID != "" {
		id = " (" + c.ID + ")"
	}
	if q.Kind == Unfinished {
		return fmt.Sprintf("%s%s was cut off; it had started at %s", c.Name, id, c.Started.Format("2006-01-02 15:04:05Z"))
	}
	return fmt.Sprintf("%s%s needs a decision, says %s", c.Name, id, q.Step)
}
