package chat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// Complete returns what may replace a line from a place on: commands, the paths of /file and the prompts of /prompt.
func (c *Chat) Complete(line string) (from int, choices []string) {
	name, argument, ok := strings.Cut(line, " ")
	switch {
	case !strings.HasPrefix(line, "/"):
		return 0, nil
	case !ok:
		all := commands()
		for i := range all {
			if choice := all[i].name; strings.HasPrefix(choice, name) {
				if all[i].with != nil {
					choice += " " // an argument may follow
				}
				choices = append(choices, choice)
			}
		}
		return 0, choices
	}
	argument = strings.TrimLeft(argument, " ")
	from = len(line) - len(argument)
	switch name {
	case "/file":
		return from, paths(argument)
	case "/prompt":
		return from, c.promptNames(argument)
	}
	return from, nil
}

// paths returns the paths that begin like a path. Those of directories end with a separator.
func paths(path string) (found []string) {
	directory, prefix := filepath.Split(path)
	folder := filepath.Clean(atHome(directory))
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil
	}
	entries, _ := os.ReadDir(folder) // what can be read
	for _, entry := range entries {
		name := entry.Name()
		hidden := strings.HasPrefix(name, ".") && prefix == ""
		if hidden || !strings.HasPrefix(name, prefix) || strings.ContainsFunc(name, text.Steers) {
			continue
		}
		choice := directory + name
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.IsDir() {
			choice += string(filepath.Separator)
		}
		found = append(found, choice)
	}
	slices.Sort(found)
	return found
}
