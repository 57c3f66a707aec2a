package main

import (
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

// continuing returns the command line that continues a thread whose program is given. It names the manifest that started the
// thread's last run, and no other one: nothing else says which agent may continue it. A thread without a program, or whose run was
// started without a manifest, has none to name.
func (a *app) continuing(thread string, program *checkpoint.Program) question.Command {
	command := question.Command{Thread: thread}
	if program == nil || program.Manifest == "" || !terminal.IsPlain(program.Manifest) {
		return command
	}
	if given, err := filepath.Abs(a.file); err == nil && given == program.Manifest {
		command.File, command.Set = a.file, withoutSecrets(a.set)
		return command
	}
	command.File = nearPath(program.Manifest)
	return command
}

// withoutSecrets returns the values of --set with a placeholder in place of each that may be a secret.
func withoutSecrets(set []string) []string {
	out := make([]string, len(set))
	for i, assignment := range set {
		if out[i] = assignment; manifest.HidesIn(assignment) {
			key, _, _ := strings.Cut(assignment, "=")
			out[i] = key + "=" + question.Placeholder
		}
	}
	return out
}

// nearPath returns an absolute path as relative to the current directory if it is below that directory.
func nearPath(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	near, err := filepath.Rel(here, path)
	if err != nil || !filepath.IsLocal(near) {
		return path
	}
	return near
}
