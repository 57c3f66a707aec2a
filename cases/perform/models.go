package perform

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/manifest"
)

// openCassette opens the cassette for reading, or begins a new one.
func (s *stage) openCassette() error {
	switch path := s.c.CassettePath(); {
	case path == "" || s.o.Real:
		return nil
	case s.o.Record:
		s.recorder = cassette.NewRecorder(s.secrets.values()...)
		return nil
	default:
		read, err := cassette.Load(path)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: its cassette %s is not there; record it with 'agenthost test --record %s'", s.c.Path, path, s.c.Path)
		}
		if err != nil {
			return err
		}
		s.player = cassette.NewPlayer(read, s.secrets.values()...)
		return nil
	}
}

// model makes a model of the agent, or what takes its place.
func (s *stage) model(of *manifest.ModelEntry) (model.Model, error) {
	name, err := s.name(of.Manifest, of.Key, of.Inner)
	if err != nil {
		return nil, err
	}
	switch {
	case s.o.Real:
		return of.Build()
	case s.script(of) != nil: // a script of the case precedes its cassette
	case s.recorder != nil:
		made, err := of.Build()
		if err != nil {
			return nil, err
		}
		return s.recorder.Model(name, made), nil
	case s.player != nil:
		return s.player.Model(name)
	}
	made, err := s.scripted(of, name)
	if err != nil || s.o.Capture == nil {
		return made, err
	}
	return s.o.Capture.Model(name, made), nil
}

// embedder makes an embedding model of the agent, or what takes its place.
func (s *stage) embedder(of *manifest.EmbedderEntry) (model.Embedder, error) {
	name, err := s.name(of.Manifest, of.Key, of.Inner)
	switch {
	case err != nil:
		return nil, err
	case s.player != nil:
		return s.player.Embedder(name)
	case s.recorder == nil && !s.o.Real && s.o.Capture == nil:
		return &missingEmbedder{s.c.Path, name}, nil
	}
	made, err := of.Build()
	if err != nil || s.recorder == nil {
		return made, err
	}
	return s.recorder.Embedder(name, made), nil
}

// name returns the name of a model in cassettes.
func (s *stage) name(path, key string, inner bool) (string, error) {
	if !inner {
		return key, nil
	}
	rel, err := filepath.Rel(s.dir, path)
	return filepath.ToSlash(rel) + " " + key, err
}

// scripted makes a scripted model: that of the case, or else of the manifest.
func (s *stage) scripted(of *manifest.ModelEntry, name string) (model.Model, error) {
	if script := s.script(of); script != nil {
		return script.Build(script.Node(), func(path string) (string, []byte, error) {
			path = s.c.Beside(path)
			data, err := regularfile.Read(path, manifest.MaxSize)
			return path, data, err
		})
	}
	if !of.Scripted {
		return nil, fmt.Errorf("the case %s would ask a real model for %s; give the case a script under %s, "+
			"or name a cassette under the key cassette and record it with 'agenthost test --record'", s.c.Path, name, of.Key)
	}
	return of.Build()
}

// script returns the script that takes the place of a model, or nil.
func (s *stage) script(of *manifest.ModelEntry) *cases.Script {
	if of.Inner {
		return nil
	}
	if of.Key == "model" {
		return s.c.Model
	}
	if name, named := strings.CutPrefix(of.Key, "models."); named {
		if script, found := s.c.Models[name]; found {
			return &script
		}
	}
	return nil
}

// unknownScripts refuses scripts for models that the manifest does not have.
func (s *stage) unknownScripts() error {
	if s.o.Real {
		return nil
	}
	named := slices.Sorted(maps.Keys(s.config.Models))
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s.c.Models)) {
		if slices.Contains(named, name) {
			continue
		}
		advice := "the script of the agent's own model is under the key model"
		if near, ok := text.Nearest(name, named); ok {
			advice = fmt.Sprintf("did you mean %q?", near)
		}
		errs = append(errs, fmt.Errorf("%s: models.%s: the manifest has no model of that name; %s", s.c.Path, name, advice))
	}
	return errors.Join(errs...)
}
