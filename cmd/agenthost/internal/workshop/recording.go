package workshop

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/server/dev"
)

// Record writes the calls of runs into a cassette in the directory of the agent's manifest, as `agenthost run --record` does.
func (w *Workshop) Record(runs []string, agent, name string) (*dev.Recording, error) {
	frames, whole := w.tape.frames(runs)
	switch {
	case !whole:
		return nil, forgotten()
	case len(frames) == 0:
		return nil, &dev.RefusalError{Status: http.StatusConflict, Text: "no plugin was called in this run, so there is nothing to record"}
	}
	manifest, err := w.manifest(agent)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(manifest), fileName("run", agent, name)+".cassette")
	if err := unused(path); err != nil {
		return nil, err
	}
	if err := write(path, frames); err != nil {
		return nil, &dev.RefusalError{Status: http.StatusInternalServerError, Text: err.Error()}
	}
	return &dev.Recording{File: path, Calls: len(frames), Command: question.Shell([]string{"agenthost", "plugin", "replay", path})}, nil
}

func write(path string, frames []*cassette.Frame) error {
	out, err := cassette.Create(path)
	if err != nil {
		return err
	}
	for _, f := range frames {
		out.Record(f.Plugin, f)
	}
	if err := out.Close(); err != nil {
		return errors.Join(err, os.Remove(path)) // a part of a run misleads
	}
	return nil
}

// manifest returns the path of an agent's manifest.
func (w *Workshop) manifest(agent string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.agents {
		if a.Name == agent {
			return a.Manifest, nil
		}
	}
	return "", &dev.RefusalError{Status: http.StatusNotFound, Text: "the agent of this run is not served any more"}
}

// unused returns an error if there is a file with this path.
func unused(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return &dev.RefusalError{Status: http.StatusConflict, Text: path + " is there already, and is not overwritten; remove or rename it first"}
	}
	return nil
}

// fileName returns the name of a file without its extension, which is a plain one whatever the agent and its run or thread are called.
func fileName(kind, agent, id string) string {
	plain := func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}
	const most = 40
	cut := func(s string, n int) string { s = strings.Map(plain, s); return s[:min(n, len(s))] }
	return kind + "-" + cut(agent, most) + "-" + cut(id, 8)
}
