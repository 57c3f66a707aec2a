package perform

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/internal/text"
)

// thread is the name of the thread of every case.
const thread = "case"

// turn plays a turn.
func (s *stage) turn(ctx context.Context, number int) error {
	t := &s.c.Turns[number]
	in, err := s.input(t)
	if err != nil {
		return err
	}
	watch := &watch{outcome: &cases.Outcome{}, known: s.known}
	result, failed, err := s.play(ctx, number, in, watch)
	if err != nil {
		return err
	}
	out := watch.outcome
	out.Status, out.Answer, out.State, out.Next = result.Status, result.Answer(), result.State, result.Next
	out.Used.Steps += result.Steps
	out.Waits = question.OfResult(result)
	if failed != nil {
		out.Status, out.Error = host.Failed, failed.Error()
	}
	if err := s.look(ctx, t, out); err != nil {
		return err
	}
	differences := append(s.mismatches(), s.unknownTools(watch.offered)...)
	differences = append(differences, t.Compare(out)...)
	s.report.Turns = append(s.report.Turns, Turn{Outcome: out, Differences: differences})
	return nil
}

// input returns the input of a turn.
func (s *stage) input(t *cases.Turn) (in host.Input, err error) {
	var files []*attachment.File
	for _, path := range t.Files {
		file, err := attachment.Read(s.c.Beside(path))
		if err != nil {
			return in, fmt.Errorf("%s: attach: %w", s.c.Path, err)
		}
		files = append(files, file)
	}
	in = host.Input{Thread: thread, Requests: true, State: t.State, Messages: []abi.Message{attachment.Message(t.Input, files...)}}
	if t.Context != nil {
		in.Context = t.Context
	}
	return in, nil
}

// play performs the run of a turn, and resumes it as long as the turn has answers. failed is the error of the run.
func (s *stage) play(ctx context.Context, number int, in host.Input, w *watch) (result *host.Result, failed, err error) {
	left := answers(s.c.Turns[number].Answers)
	for {
		var telling error
		result, failed = s.agent.RunEvents(ctx, in, func(e host.Event) error {
			w.event(&e)
			if s.o.Event != nil {
				telling = s.o.Event(number, e)
			}
			return telling
		})
		switch {
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case telling != nil:
			return nil, nil, telling
		}
		again := host.Input{Thread: thread, Requests: true, Context: in.Context}
		goes := false
		if failed == nil && result.Status == host.Interrupted {
			if goes, err = left.next(result, &again); err != nil {
				return nil, nil, fmt.Errorf("%s: turns[%d].answers: %w", s.c.Path, number, err)
			}
		}
		if !goes {
			w.outcome.Unused = left.names()
			return result, failed, nil
		}
		in = again
	}
}

// answers are the answers of a turn that nobody has asked for yet.
type answers []cases.Answer

func (a answers) names() (out []string) {
	for i := range a {
		out = append(out, a[i].String())
	}
	return out
}

// next sets the input that goes on with a run, and reports whether there is an answer for it.
func (a *answers) next(result *host.Result, in *host.Input) (bool, error) {
	questions := question.OfResult(result)
	if len(questions) == 0 {
		for i := range *a {
			if (*a)[i].Goes(result.Next) {
				*a = append((*a)[:i:i], (*a)[i+1:]...)
				in.Continue = true
				return true, nil
			}
		}
		return false, nil
	}
	sheet, decided := question.NewSheet(questions), map[string]bool{}
	var left answers
	for i := range *a {
		used, err := (*a)[i].Fill(sheet, questions, decided)
		if err != nil {
			return false, err
		}
		if !used {
			left = append(left, (*a)[i])
		}
	}
	if len(decided) == 0 {
		return false, nil
	}
	*a = left
	var err error
	in.Resume, err = sheet.Answers("case")
	return err == nil, err
}

// watch collects from events what the result of a run does not have.
type watch struct {
	outcome *cases.Outcome
	known   map[string]bool // ids of messages
	offered []string        // names of tools that the model was offered
}

func (w *watch) event(e *host.Event) {
	used := &w.outcome.Used
	switch e.Type {
	case host.EventModelRequest:
		w.offered = append(w.offered, e.Request.ToolNames...)
	case host.EventModel:
		used.ModelCalls++
		if e.Cost != nil {
			*used = used.Add(cases.Used{Cost: *e.Cost})
		} else {
			used.Unpriced++
		}
		for i := range e.Messages {
			if usage := e.Messages[i].Usage; usage != nil {
				used.Usage = used.Usage.Add(*usage)
			}
		}
	case host.EventState:
		for i := range e.Messages {
			m := &e.Messages[i]
			if e.Step == "input" || w.known[m.ID] {
				w.known[m.ID] = true
				continue
			}
			w.known[m.ID] = true
			if m.Role == abi.RoleAI {
				used.ToolCalls += len(m.ToolCalls)
			}
			w.outcome.Messages = append(w.outcome.Messages, *m)
		}
		for i := range e.Patch {
			w.replace(&e.Patch[i])
		}
	default: // the result has the rest
	}
}

// replace replaces a message by its changed form.
func (w *watch) replace(m *abi.Message) {
	for i := range w.outcome.Messages {
		if w.outcome.Messages[i].ID == m.ID {
			w.outcome.Messages[i] = *m
		}
	}
}

// maxFile is the size of the largest file that a case can expect, in bytes.
const maxFile = 4 << 20

// look reads the files and values that the turn expects something of.
func (s *stage) look(ctx context.Context, t *cases.Turn, out *cases.Outcome) error {
	out.Files, out.Store = map[string]string{}, map[string]wire.Raw{}
	for path := range t.Expect.Files {
		content, err := s.file(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: files: %w", s.c.Path, err)
		}
		out.Files[path] = content
	}
	for i := range t.Expect.Store {
		v := &t.Expect.Store[i]
		entry, ok, err := s.config.Store.Get(ctx, store.Namespace(v.Namespace), v.Key)
		if err != nil {
			return fmt.Errorf("%s: store: %w", s.c.Path, err)
		}
		if ok {
			out.Store[v.Place()] = entry.Value
		}
	}
	return nil
}

func (s *stage) file(path string) (string, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(filepath.FromSlash(path))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("%s is not a file of at most %d MiB", path, maxFile>>20)
	}
	content, err := root.ReadFile(filepath.FromSlash(path))
	return string(content), err
}

// fillStore puts the values of the case into the agent's store.
func (s *stage) fillStore(ctx context.Context) error {
	for i := range s.c.Store {
		v := &s.c.Store[i]
		raw, err := wire.Of(v.Value)
		if err == nil {
			_, err = s.config.Store.Put(ctx, store.Namespace(v.Namespace), v.Key, raw, store.PutOptions{})
		}
		if err != nil {
			return fmt.Errorf("%s: store[%s]: %w", s.c.Path, v.Place(), err)
		}
	}
	return nil
}

// unknownTools returns a difference for each tool of the case that the agent did not offer.
func (s *stage) unknownTools(offered []string) (out []cases.Difference) {
	for _, name := range slices.Sorted(maps.Keys(s.c.Tools)) {
		if len(offered) == 0 || slices.Contains(offered, name) {
			continue
		}
		said := "tools." + name + ": the agent offers no tool of that name"
		if near, ok := text.Nearest(name, offered); ok {
			said += fmt.Sprintf("; did you mean %q?", near)
		}
		out = append(out, cases.Difference{Key: "tools", Text: said})
	}
	return out
}

// mismatches returns a difference for each request in the turn that the cassette does not have.
func (s *stage) mismatches() (out []cases.Difference) {
	if s.player == nil {
		return nil
	}
	all := s.player.Mismatches()
	for _, mismatch := range all[s.told:] {
		out = append(out, cases.Difference{Key: "cassette", Text: "cassette: " + mismatch.Error()})
	}
	s.told = len(all)
	return out
}
