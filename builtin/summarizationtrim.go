package builtin

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// transcript returns the messages in the form that the summarizing model is shown: all of them, or as many as trim permits.
// A system message and an earlier summary at the start stay and may use half of the tokens. The longest end of the other
// messages that fits follows. It begins with a human message if that costs at most half of it, and the last lines of the
// message before may precede it. If not even the last message fits, its middle is left out.
func (r *summarizer) transcript(messages history.List) string {
	if r.trim == 0 || r.counter.of(messages) <= r.trim {
		return joinedTranscript(messages.Messages())
	}
	start := 0
	for start < messages.Len()-1 && isHead(messages.Entry(start).Message()) {
		start++
	}
	var parts []string
	left, forHead := r.trim, r.trim/2
	for _, m := range messages.Slice(0, start).All() {
		part, tokens := r.fitted(m, forHead)
		parts = append(parts, part)
		left, forHead = left-tokens, forHead-tokens
	}
	if end := r.end(messages.Slice(start, messages.Len()), left); len(end) > 0 {
		return strings.Join(append(parts, joinedTranscript(end)), "\n")
	}
	last, _ := r.fitted(messages.Entry(messages.Len()-1).Message(), left)
	return strings.Join(append(parts, last), "\n")
}

// isHead reports whether a message at the start of a history stays.
func isHead(m *abi.Message) bool { return m.Role == abi.RoleSystem || isSummary(m) }

func joinedTranscript(messages []abi.Message) string {
	var b strings.Builder
	for i := range messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeTranscript(&b, &messages[i])
	}
	return b.String()
}

// fitted returns the transcript of a message, and its tokens. It leaves out the middle of a message that has more tokens
// than permitted.
func (r *summarizer) fitted(m *abi.Message, tokens int) (transcript string, used int) {
	transcript = transcriptOf(m)
	has := r.counter.each(m)
	if has <= tokens {
		return transcript, has
	}
	tokens = max(0, tokens)
	return withoutMiddle(transcript, max(proportion(utf8.RuneCountInString(transcript), tokens, has), shortestPart)), tokens
}

// shortestPart is the smallest number of characters of a message that are shown: an empty transcript cannot be summarized.
const shortestPart = 200

// proportion returns n * numerator / denominator without overflow.
func proportion(n, numerator, denominator int) int {
	return int(float64(n) * (float64(numerator) / float64(max(1, denominator))))
}

// end returns the last messages that fit into the tokens; none if the last one does not fit.
func (r *summarizer) end(messages history.List, tokens int) []abi.Message {
	first, used := messages.Len(), 0
	sizes := make([]int, messages.Len())
	for first > 0 {
		sizes[first-1] = r.counter.each(messages.Entry(first - 1).Message())
		if used+sizes[first-1] > tokens {
			break
		}
		first--
		used += sizes[first]
	}
	kept := messages.Slice(first, messages.Len()).Messages()
	if first > 0 {
		if m, size := r.lastLines(messages.Entry(first-1).Message(), tokens-used); m != nil {
			kept, used, sizes[first-1] = slices.Insert(kept, 0, *m), used+size, size
			first--
		}
	}
	before := 0
	for i := range kept {
		if kept[i].Role == abi.RoleHuman {
			return kept[i:]
		}
		if before += sizes[first+i]; before > used/2 {
			break
		}
	}
	return kept
}

// lastLines returns a message with as many of its last lines as fit into the tokens, and its size; nil if none fit.
func (r *summarizer) lastLines(m *abi.Message, tokens int) (short *abi.Message, size int) {
	if !m.Content.IsText() {
		return nil, 0
	}
	lines := strings.SplitAfter(m.Content.Text(), "\n")
	with := func(n int) *abi.Message {
		out := *m
		out.Content = abi.Text(strings.Join(lines[len(lines)-n:], ""))
		return &out
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	fits := sort.Search(len(lines), func(n int) bool { return r.counter.each(with(n+1)) > tokens })
	if fits == 0 {
		return nil, 0
	}
	return with(fits), r.counter.each(with(fits))
}
