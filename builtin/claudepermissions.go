package builtin

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// checkEditors refuses claude_text_editor and claude_memory in a list of middleware if they could reach files that the permissions
// of a filesystem are about. Their tools do not follow these permissions.
func checkEditors(list []host.Middleware) error {
	for i := range list {
		files, at := configOf[Filesystem](list[i : i+1])
		if at < 0 || len(files.Permissions) == 0 {
			continue
		}
		for j := range list {
			if name, editor := editorOf(list[j]); editor != nil && len(editor.AllowedPathPrefixes) == 0 && editor.mayShare(files) {
				return fmt.Errorf("the permissions of filesystem do not apply to %s, which may reach the same files; set allowed_path_prefixes of %s "+
					"to the directories that it may read and change, keep its files in another kind of backend, or leave one of the two out", name, name)
			}
		}
	}
	return nil
}

// checkForkedEditors refuses claude_text_editor and claude_memory that a fork takes over, although its own filesystem has permissions
// which the agent's configuration of the editor does not know.
func checkForkedEditors(fork []host.Middleware) error {
	for i := range fork {
		files, at := configOf[Filesystem](fork[i : i+1])
		if _, inherited := fork[i].(forked); at < 0 || inherited || len(files.Permissions) == 0 {
			continue
		}
		for _, m := range fork {
			if _, inherited := m.(forked); !inherited {
				continue
			}
			if name, editor := editorOf(m); editor != nil && editor.mayShare(files) {
				return fmt.Errorf("the fork takes over %s, to which the permissions of its filesystem do not apply; add to its middleware a "+
					"%s of its own, with allowed_path_prefixes", name, name)
			}
		}
	}
	return nil
}

// editorOf returns the name and the files of a middleware that is a claude_text_editor or a claude_memory; nil if it is neither.
func editorOf(m host.Middleware) (string, *ClaudeTextEditor) {
	list := []host.Middleware{m}
	if editor, at := configOf[ClaudeTextEditor](list); at >= 0 {
		return claudeTextEditorEntry.Name, editor
	}
	if memory, at := configOf[ClaudeMemory](list); at >= 0 {
		return claudeMemoryEntry.Name, &ClaudeTextEditor{Root: memory.Root, Backend: memory.Backend, AllowedPathPrefixes: memory.AllowedPathPrefixes}
	}
	return "", nil
}

// mayShare reports whether the editor's files and those of a filesystem may be the same: both are in the same kind of place. Two
// directories of a disk may contain each other, and two namespaces of a store may be equal in a run.
func (e *ClaudeTextEditor) mayShare(files *Filesystem) bool {
	own, others := placesOf(e.Root, e.Backend.Backend), placesOf(files.Root, files.Backend.Backend)
	return slices.ContainsFunc(own, func(place string) bool {
		return place == "" || slices.Contains(others, place) || slices.Contains(others, "")
	})
}

// placesOf returns the kinds of backends that files are in; "" for one of an unknown kind, which may be any of them.
func placesOf(root string, given backend.Backend) []string {
	switch b := given.(type) {
	case nil:
		if root == "" {
			return []string{stateBackend}
		}
		return []string{filesystemBackend}
	case backend.State:
		return []string{stateBackend}
	case backend.Disk:
		return []string{filesystemBackend}
	case backend.Store:
		return []string{storeBackend}
	case backend.Composite:
		places := placesOfPart(b.Default)
		for _, inner := range b.Routes {
			places = append(places, placesOfPart(inner)...)
		}
		return places
	default:
		return []string{""}
	}
}

// placesOfPart returns the kinds of a part of a composite. A missing part is an error elsewhere.
func placesOfPart(part backend.Backend) []string {
	if part == nil {
		return nil
	}
	return placesOf("", part)
}
