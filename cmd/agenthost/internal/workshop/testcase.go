package workshop

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/server/dev"
)

// MakeCase writes a case into the directory of the agent's cases, as `agenthost test new` does.
func (w *Workshop) MakeCase(agent, name string, events []host.Event) (*dev.TestCase, error) {
	manifest, err := w.manifest(agent)
	if err != nil {
		return nil, err
	}
	options := cases.Options{Description: "A conversation in the studio."}
	if base := filepath.Base(manifest); base != cases.ManifestFile {
		options.Manifest = "../" + base
	}
	text, err := cases.FromEvents(events, options)
	switch {
	case errors.Is(err, cases.ErrNoTurn):
		return nil, &dev.RefusalError{Status: http.StatusConflict, Text: "the events of this thread are no longer kept, or nothing was said in it"}
	case err != nil:
		return nil, &dev.RefusalError{Status: http.StatusConflict, Text: err.Error()}
	}
	path := filepath.Join(filepath.Dir(manifest), cases.Dir, fileName("thread", agent, name)+".yaml")
	if err := unused(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, &dev.RefusalError{Status: http.StatusInternalServerError, Text: err.Error()}
	}
	if err := atomicfile.Write(path, text, 0o600); err != nil { // it has the conversation
		return nil, &dev.RefusalError{Status: http.StatusInternalServerError, Text: err.Error()}
	}
	return &dev.TestCase{File: path, Command: question.Shell([]string{"agenthost", "test", path})}, nil
}
