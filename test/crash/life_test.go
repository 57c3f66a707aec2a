//go:build unix

package crash_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// life is a thread whose processes are killed. It holds their reports to the parent, and the answers that the parent gave
// in place of a person.
type life struct {
	t     *testing.T
	plan  *plan
	world *world
	draw  *rand.Rand
	loose bool // a process may continue after a failure; ids then come in another order

	head      checkpoint.ID   // the newest checkpoint that was reported as saved
	saving    int             // number of further checkpoints that may have been saved
	journal   map[string]bool // executions recorded since then, and whether as ended
	over      map[string]bool // the same for the whole thread
	questions int
	lost      int // lost leases and late answers of the database, which happen on a busy machine

	told      []string            // reports of all processes
	decisions map[string]decision // by question; a process may die before it saves a decision, and then the next one asks again
}

// decision is a person's decision about an execution that a crash interrupted.
type decision struct {
	ask

	run  string
	kind string
	text string // text of the message
	late bool   // the execution had happened
}

func newLife(t *testing.T, p *plan, draw *rand.Rand) *life {
	t.Helper()
	return &life{
		t: t, plan: p, world: &world{dir: t.TempDir()}, draw: draw, journal: map[string]bool{}, over: map[string]bool{},
		decisions: map[string]decision{},
	}
}

// driver continues the thread in this process.
func (l *life) driver() *driver {
	return &driver{plan: l.plan, thread: "t", answer: func(s *host.Snapshot) ([]host.Answer, error) {
		questions, err := asked(s)
		return l.answer(&report{Run: s.RunID, Asks: questions}), err
	}}
}

// story returns all reports about a call, and every save.
func (l *life) story(call string) string {
	lines := slices.DeleteFunc(slices.Clone(l.told), func(line string) bool {
		return !strings.Contains(line, call) && !strings.Contains(line, isSaved) && !strings.Contains(line, isLoaded)
	})
	return strings.Join(lines, "\n")
}

// hear records a report.
func (l *life) hear(r *report) {
	l.told = append(l.told, fmt.Sprintf("%+v", *r))
	switch r.Kind {
	case isLoaded:
		l.found(r)
	case isSaving:
		l.saving++
	case isSaved:
		l.head, l.saving = r.Head, 0
		clear(l.journal)
	case isLost:
		l.lost++
		l.loose = true
	case isJournalled:
		for _, m := range r.Journal {
			l.journal[m.Execution], l.over[m.Execution] = m.Ended, m.Ended
		}
	}
}

// found checks that a process finds everything that an earlier process was told is saved.
func (l *life) found(r *report) {
	if r.Head > l.head && r.Head <= l.head+checkpoint.ID(l.saving) {
		l.head = r.Head // it was saved, but the process was killed before it knew
		clear(l.journal)
	}
	l.saving = 0
	require.Equal(l.t, l.head, r.Head, "the checkpoint that a process found")
	noted := map[string]bool{}
	for _, m := range r.Journal {
		noted[m.Execution] = m.Ended
	}
	for e, ended := range l.journal {
		now, ok := noted[e]
		require.True(l.t, ok && (now || !ended), "%v was journalled, ended %t, and a process found %v", e, ended, r.Journal)
	}
	l.journal = noted
}

// answer answers questions as a person would who checks what happened: an execution that happened is not repeated.
// Some persons do not check, and some are impatient.
func (l *life) answer(r *report) []host.Answer {
	happened, err := l.world.effects()
	require.NoError(l.t, err)
	answers := make([]host.Answer, 0, len(r.Asks))
	for _, q := range r.Asks {
		if q.Unfinished == "" {
			answers = append(answers, host.Answer{Interrupt: q.ID, Value: "yes"})
			continue
		}
		for e, over := range l.over {
			require.False(l.t, over && strings.HasSuffix(e, fmt.Sprintf(" %s %d", q.Call, q.N)), "asks about %s, whose end it was told is kept", e)
		}
		d := l.decide(q, happened.times[q.effect] > 0)
		d.run = r.Run
		if _, again := l.decisions[q.ID]; !again {
			l.questions++
		}
		l.decisions[q.ID] = d
		l.told = append(l.told, fmt.Sprintf("decided %+v", d))
		value := map[string]any{"type": d.kind}
		if d.text != "" {
			value["message"] = d.text
		}
		answers = append(answers, host.Answer{Interrupt: q.ID, Value: value, By: "the parent"})
	}
	return answers
}

// decide says what to do about an execution that a crash interrupted.
func (l *life) decide(q ask, happened bool) decision {
	switch chance := l.draw.IntN(10); {
	case chance == 0:
		return decision{ask: q, kind: "retry", late: happened}
	case chance == 1:
		return decision{ask: q, kind: "skip", text: "nobody knows", late: happened}
	case happened:
		return decision{ask: q, kind: "respond", text: resultOf(q.Unfinished, q.Call), late: true}
	default:
		return decision{ask: q, kind: "retry"}
	}
}

// verdict says which differences the decisions of persons allow.
type verdict struct {
	again map[effect]int    // how often an execution that had happened was repeated
	ended map[string]bool   // calls whose result a person gave
	text  map[string]string // texts of the skipped calls
	runs  map[string]bool   // runs in which a person was asked
}

func (l *life) verdict() *verdict {
	v := &verdict{map[effect]int{}, map[string]bool{}, map[string]string{}, map[string]bool{}}
	for _, d := range l.decisions {
		v.runs[d.run] = true
		switch {
		case d.kind == "skip":
			v.ended[d.Call], v.text[d.Call] = true, d.text
		case d.kind == "respond":
			v.ended[d.Call] = true
		case d.late:
			v.again[d.effect]++
		}
	}
	return v
}

// check compares the content of the thread with that of a thread without kills.
func (l *life) check(want, got *outcome) {
	v := l.verdict()
	l.checkEffects(v, want.effects, got.effects)
	require.Len(l.t, got.runs, len(want.runs), "the runs of the thread")
	for i := range want.runs {
		w, g := &want.runs[i], &got.runs[i]
		askedHere := l.loose || v.runs[g.run.ID]
		l.checkMessages(v, w.messages, g.messages, askedHere)
		lost := len(v.ended) // updates of tools whose result a person gave, in the runs until then
		if i < len(want.runs)-1 {
			lost = int(w.state[fieldSent] - g.state[fieldSent])
			require.LessOrEqual(l.t, lost, len(v.ended))
		}
		state := maps.Clone(w.state)
		state[fieldSent] -= int64(lost)
		if state[fieldSent] == 0 {
			delete(state, fieldSent)
		}
		got := maps.Clone(g.state)
		if got[fieldSent] == 0 {
			delete(got, fieldSent)
		}
		require.Equal(l.t, state, got, "the state after %s", g.run.ID)
		if askedHere { // questions take ids from the same sequence, and another text has another length
			g.run.IDs, g.run.ToolTokens = w.run.IDs, w.run.ToolTokens
		}
		require.Equal(l.t, w.run, g.run)
	}
}

// checkEffects checks that no execution happened twice and that each call happened once, unless a person decided
// otherwise.
func (l *life) checkEffects(v *verdict, want, got *effects) {
	again := map[string]int{}
	for e, times := range got.times {
		require.Contains(l.t, want.done, e.Call, "nobody has asked for it")
		require.LessOrEqual(l.t, times, 1+v.again[e], "%v\n%s", e, l.story(e.Call))
		again[e.Call] += v.again[e]
	}
	for call := range want.done {
		require.LessOrEqual(l.t, got.done[call], 1+again[call], "the call %s", call)
		require.True(l.t, got.done[call] > 0 || v.ended[call], "the call %s was not done", call)
	}
}

// checkMessages compares a history. A message differs if a person gave its call no result, and ids differ if a person was
// asked.
func (l *life) checkMessages(v *verdict, want, got []abi.Message, askedHere bool) {
	want, got = slices.Clone(want), slices.Clone(got)
	ids := map[string]bool{}
	for i := range got {
		require.False(l.t, ids[got[i].ID], "the id %s twice", got[i].ID)
		ids[got[i].ID] = true
	}
	for i := range want {
		if text := v.text[want[i].ToolCallID]; text != "" {
			want[i].Content, want[i].Status = abi.Text(text), abi.StatusError
		}
	}
	if l.loose || len(v.runs) > 0 { // the history also has the messages of earlier runs
		for _, messages := range [][]abi.Message{want, got} {
			for i := range messages {
				if at := strings.LastIndexByte(messages[i].ID, '-'); l.loose || askedHere || v.runs["run"+strings.TrimPrefix(messages[i].ID[:at], "msg")] {
					messages[i].ID = ""
				}
			}
		}
	}
	require.Equal(l.t, shown(l.t, want), shown(l.t, got))
}
