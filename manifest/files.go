package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host/plugin"
)

// Files are the files that an agent consists of, besides programs, databases and what its tools work on.
type Files struct {
	Manifests []string // of the agent and of the agents that are its tools; the agent's own is the first
	Locks     []string // the lock files that these manifests have
	Texts     []string // prompts, schemas and rules
	Plugins   []string // modules and scripts
	Folders   []string // folders of skills, and files of memory; they need not exist
	Secrets   []string // files of variables, which are not for others
}

// Files returns the paths of the files that the manifest names. It reads the manifests of agents that are tools, too.
func (m *Manifest) Files() (*Files, error) {
	f := &Files{}
	if err := f.addManifest(m); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Files) addManifest(m *Manifest) error {
	f.Manifests = append(f.Manifests, m.file)
	if info, err := os.Stat(m.LockPath()); err == nil && info.Mode().IsRegular() {
		f.Locks = append(f.Locks, m.LockPath())
	}
	if m.EnvFile != "" {
		f.Secrets = append(f.Secrets, m.path(m.EnvFile))
	}
	f.addText(m, m.SystemPrompt.file, m.ContextSchema.file)
	f.addFormat(m, &m.ResponseFormat)
	models := make([]*modelEntry, 0, 1+len(m.Models))
	models = append(models, &m.Model)
	for i := range m.Models {
		models = append(models, &m.Models[i].Value)
	}
	for _, e := range models {
		if e.provided != nil {
			continue
		}
		var script scriptedEntry
		if err := e.node.Decode(&script); err != nil {
			return err
		}
		f.addText(m, script.Rules)
	}
	tools := m.toolEntries()
	for _, e := range m.allMiddleware() {
		f.addMiddleware(m, e)
		if e.subagents == nil {
			continue
		}
		tools = append(tools, e.subagents.toolEntries()...)
		for i := range e.subagents.parts {
			f.addFormat(m, &e.subagents.parts[i].format)
			if err := f.addAgent(m, e.subagents.config.Agents[i].File); err != nil {
				return located(e.node, err)
			}
		}
	}
	for _, tool := range tools {
		if agent, ok := tool.config.(*agentEntry); ok {
			if err := f.addAgent(m, agent.File); err != nil {
				return located(tool.node, err)
			}
		}
	}
	return nil
}

func (f *Files) addText(m *Manifest, paths ...string) {
	for _, path := range paths {
		if path != "" {
			f.Texts = append(f.Texts, m.path(path))
		}
	}
}

func (f *Files) addFormat(m *Manifest, format *responseFormatEntry) {
	f.addText(m, format.Schema.file)
	for i := range format.Schemas {
		f.addText(m, format.Schemas[i].file)
	}
}

func (f *Files) addMiddleware(m *Manifest, e *middlewareEntry) {
	if path := e.plugin.Plugin.Path; path != "" {
		f.Plugins = append(f.Plugins, m.path(path))
		if len(e.plugin.Plugin.Minisign) > 0 {
			f.Texts = append(f.Texts, m.path(path)+plugin.SignatureSuffix)
		}
	}
	switch config := e.builtin.(type) {
	case *builtin.Skills:
		for _, source := range config.Sources {
			f.addFolder(m, config.Root, source.Path)
		}
	case *builtin.Memory:
		for _, source := range config.Sources {
			f.addFolder(m, config.Root, source)
		}
	}
}

// addFolder adds a folder, or a file, below a root. Without a root, it is kept somewhere else than on the disk.
func (f *Files) addFolder(m *Manifest, root, path string) {
	if root != "" {
		f.Folders = append(f.Folders, filepath.Join(m.path(root), filepath.FromSlash(path)))
	}
}

// addAgent adds the files of an agent that another manifest describes. One that is there already, such as in a circle, is not read again.
func (f *Files) addAgent(m *Manifest, file string) error {
	if file == "" {
		return nil
	}
	path := m.path(file)
	if slices.ContainsFunc(f.Manifests, func(known string) bool { return absolute(known) == absolute(path) }) {
		return nil
	}
	if len(f.Manifests) == maxManifests {
		return errors.New("the agent consists of too many manifests")
	}
	inner, err := load(path, Options{LookupEnv: m.lookup, Engine: m.engine, Cache: m.cache, InMemory: true}, []string{absolute(path)})
	if err != nil {
		return err
	}
	return f.addManifest(inner)
}

// maxManifests is how many manifests an agent may consist of.
const maxManifests = 100
