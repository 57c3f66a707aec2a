package prompt

import (
	"strings"

	"github.com/agenthost/agenthost/host/question"
)

// choice is a word that may be typed, or abbreviated to one of its letters.
type choice struct {
	name   string
	letter byte
}

// letters has the abbreviation of each type of decision.
var letters = map[question.Type]byte{
	question.Approve: 'a', question.Edit: 'e', question.Reject: 'r', question.Respond: 'p', question.Retry: 't', question.Skip: 's',
}

func choicesOf(types []question.Type) []choice {
	out := make([]choice, len(types))
	for i, t := range types {
		out[i] = choice{string(t), letters[t]}
	}
	return out
}

func (c choice) is(typed string) bool {
	return strings.EqualFold(typed, c.name) || strings.EqualFold(typed, string(c.letter))
}

// menu formats choices with their letters, such as [a]pprove.
func menu(choices []choice) string {
	var out strings.Builder
	for i, c := range choices {
		if i > 0 {
			out.WriteString("  ")
		}
		at := strings.IndexByte(c.name, c.letter)
		out.WriteString(c.name[:at] + "[" + string(c.letter) + "]" + c.name[at+1:])
	}
	return out.String()
}
