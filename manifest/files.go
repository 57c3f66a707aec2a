package manifest

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/strictyaml"
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

// Manifests returns the manifest and those of the agents that it uses as tools or subagents, directly or not, each once.
func (m *Manifest) Manifests() ([]*Manifest, error) {
	all := []*Manifest{m}
	for i := 0; i < len(all); i++ {
		for _, used := range all[i].agents() {
			path := all[i].path(used.file)
			if slices.ContainsFunc(all, func(known *Manifest) bool { return absolute(known.file) == absolute(path) }) {
				continue
			}
			if len(all) == maxManifests {
				return nil, used.node.Errorf("the agent uses more than %d manifests", maxManifests)
			}
			inner, err := load(path, Options{LookupEnv: all[i].lookup, Engine: m.engine, Cache: m.cache, InMemory: true}, []string{absolute(path)})
			if err != nil {
				return nil, located(used.node, err)
			}
			all = append(all, inner)
		}
	}
	return all, nil
}

// maxManifests is how many manifests an agent may consist of.
const maxManifests = 100

// usedAgent is the manifest of an agent that another one uses.
type usedAgent struct {
	file string
	node strictyaml.Node // the entry that names it
}

// agents returns the agents that the manifest uses.
func (m *Manifest) agents() (used []usedAgent) {
	tools := m.toolEntries()
	for _, e := range m.allMiddleware() {
		if e.subagents == nil {
			continue
		}
		tools = append(tools, e.subagents.toolEntries()...)
		for i := range e.subagents.config.Agents {
			if file := e.subagents.config.Agents[i].File; file != "" {
				used = append(used, usedAgent{file, e.node})
			}
		}
	}
	for _, tool := range tools {
		if agent, ok := tool.config.(*agentEntry); ok {
			used = append(used, usedAgent{agent.File, tool.node})
		}
	}
	return used
}

// Files returns the paths of the files that the manifest and the agents that it uses name.
func (m *Manifest) Files() (*Files, error) {
	all, err := m.Manifests()
	if err != nil {
		return nil, err
	}
	f := &Files{}
	for _, one := range all {
		if err := f.add(one); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// add adds the files that one manifest names.
func (f *Files) add(m *Manifest) error {
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
	for _, e := range m.allMiddleware() {
		f.addMiddleware(m, e)
		if e.subagents != nil {
			for i := range e.subagents.parts {
				f.addFormat(m, &e.subagents.parts[i].format)
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
