package workshop

import (
	"context"
	"fmt"
	"net/http"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/golden"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/server/dev"
)

// Case performs a golden case of a plugin, and returns the call that it leads to.
func (w *Workshop) Case(ctx context.Context, name, of string) (*dev.Call, error) {
	f, lines, err := w.caseFrame(ctx, name, of)
	if err != nil {
		return nil, err
	}
	call, err := callOf(f)
	if err == nil {
		call.Outcome.Differences = append(call.Outcome.Differences, lines...)
	}
	return call, err
}

// TryCase performs the call of a golden case again.
func (w *Workshop) TryCase(ctx context.Context, name, of string, edit dev.Edit) (*dev.Outcome, error) {
	f, _, err := w.caseFrame(ctx, name, of)
	if err != nil {
		return nil, err
	}
	return w.try(ctx, f, edit)
}

// CaseNames returns the names of the golden cases of a plugin.
func CaseNames(path string) []string {
	files, err := golden.Find(path)
	if err != nil {
		return nil
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = (&golden.Case{Path: file}).Name()
	}
	return names
}

// caseFrame performs a golden case, and returns the call and how it differs from what the case expects.
func (w *Workshop) caseFrame(ctx context.Context, name, of string) (*cassette.Frame, []string, error) {
	p, ok := w.plugin(name)
	if !ok {
		return nil, nil, &dev.RefusalError{Status: http.StatusNotFound, Text: fmt.Sprintf("no agent has the plugin %.64q", name)}
	}
	c, err := goldenCase(p.Path, of)
	switch {
	case err != nil:
		return nil, nil, invalid(err)
	case c == nil:
		return nil, nil, &dev.RefusalError{Status: http.StatusNotFound, Text: fmt.Sprintf("the plugin %.64q has no golden case %.64q", name, of)}
	}
	leave, err := w.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	outcome, err := c.Perform(ctx, plugin.Wasm{ID: p.ID, Path: p.Path, Engine: w.engine})
	if err != nil {
		return nil, nil, stopped(ctx, err)
	}
	return outcome.Frame, c.Compare(outcome), nil
}

// goldenCase reads the golden case of a plugin that has this name; nil: there is none.
func goldenCase(path, name string) (*golden.Case, error) {
	files, err := golden.Find(path)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if (&golden.Case{Path: file}).Name() == name {
			return golden.Load(file)
		}
	}
	return nil, nil //nolint:nilnil // the caller says so
}
