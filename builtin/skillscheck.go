package builtin

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// Directories returns the directories of the disk that the skills are in; none if root does not say where they are.
func (s Skills) Directories() []string {
	if s.Root == "" {
		return nil
	}
	var dirs []string
	for _, source := range s.Sources {
		dirs = append(dirs, filepath.Join(s.Root, filepath.FromSlash(source.Path)))
	}
	return dirs
}

// Check reads the skills below root as the first run of a thread does, and returns what it would warn about.
func (s Skills) Check(ctx context.Context) (warnings []string, err error) {
	if s.Root == "" {
		return nil, nil
	}
	sources, err := cleanSources(s.Sources)
	if err != nil {
		return nil, err
	}
	source, err := openFileSource(ctx, &host.Env{}, s.Root, s.Backend, backend.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	files, err := source.files(nil) // the files of a directory are the same in every run
	if err != nil {
		return nil, err
	}
	r := &skillReader{files: files}
	for _, dir := range sources {
		if err := r.read(ctx, dir.Path); err != nil {
			return nil, err
		}
	}
	return r.warnings, nil
}
