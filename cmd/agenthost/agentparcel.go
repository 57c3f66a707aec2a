package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/registry"
)

// parcel collects the files of an agent.
type parcel struct {
	dir   string // of the manifest, absolute
	root  *os.Root
	files []registry.AgentFile
	seen  map[string]bool
	left  []string // what was left out
}

// newParcel returns a parcel for the files in the directory of a manifest.
func newParcel(manifestFile string) (*parcel, error) {
	dir, err := filepath.Abs(filepath.Dir(manifestFile))
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &parcel{dir: dir, root: root, seen: map[string]bool{}}, nil
}

func (p *parcel) close() { _ = p.root.Close() } // it was only read

// addFiles adds the files that a manifest names, and more paths.
func (p *parcel) addFiles(ctx context.Context, files *manifest.Files, more []string) error {
	for _, secret := range files.Secrets {
		if name, err := p.name(secret); err == nil {
			p.seen[name] = true
			p.left = append(p.left, name)
		}
	}
	for _, path := range slices.Concat(files.Manifests, files.Locks, files.Texts) {
		if err := p.addFile(path); err != nil {
			return err
		}
	}
	for _, path := range files.Plugins {
		parts := []string{path}
		if l := loaderOf(path); l != nil {
			var err error
			if parts, err = l.Files(path); err != nil {
				return err
			}
		}
		for _, part := range parts {
			if err := p.addFile(part); err != nil {
				return err
			}
		}
		if info, err := os.Stat(path + minisig.Suffix); err == nil && info.Mode().IsRegular() {
			if err := p.addFile(path + minisig.Suffix); err != nil {
				return err
			}
		}
	}
	for _, folder := range files.Folders {
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) { // the middleware does without it
			continue
		}
		if err := p.addTree(ctx, folder); err != nil {
			return err
		}
	}
	for _, path := range more {
		if err := p.addTree(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// name returns the name of a path in the parcel.
func (p *parcel) name(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(p.dir, path)
	if err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s is not below %s, the directory of the manifest; move it there", path, p.dir)
	}
	return filepath.ToSlash(name), nil
}

func (p *parcel) addFile(path string) error {
	name, err := p.name(path)
	if err != nil || p.seen[name] {
		return err
	}
	if err := registry.CheckName(name); err != nil {
		return fmt.Errorf("%s cannot be pushed: %w", path, err)
	}
	file, info, err := regularfile.OpenIn(p.root, filepath.FromSlash(name))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info.Size() > registry.MaxAgentFile {
		return &regularfile.SizeError{Path: path, Limit: registry.MaxAgentFile}
	}
	content, err := io.ReadAll(io.LimitReader(file, registry.MaxAgentFile))
	if err != nil {
		return err
	}
	p.seen[name] = true
	p.files = append(p.files, registry.AgentFile{Name: name, Content: content})
	if len(p.files) > registry.MaxAgentFiles {
		return fmt.Errorf("the agent has more than %d files", registry.MaxAgentFiles)
	}
	return nil
}

// addTree adds a file, or all files of a folder whose names do not begin with a dot.
func (p *parcel) addTree(ctx context.Context, path string) error {
	top, err := p.name(path)
	if err != nil {
		return err
	}
	return fs.WalkDir(p.root.FS(), top, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return regularfile.Unreadable(filepath.Join(p.dir, filepath.FromSlash(name)), "file", err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case name != top && strings.HasPrefix(entry.Name(), "."):
			p.left = append(p.left, name)
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		default:
			return p.addFile(filepath.Join(p.dir, filepath.FromSlash(name)))
		}
	})
}
