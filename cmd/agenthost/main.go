// Command agenthost runs LLM agents that a manifest describes.
//
// # Where to find what
//
//   - when the garbage collector first runs: startup.go
//   - the flags of a subcommand: the file of its name; flags that several share: root.go, runflags.go, runlimits.go,
//     decisionflags.go
//   - which manifest is used: locate.go
//   - exit codes of errors: exit.go; of an interrupted run: agentrun.go (outcome); what a signal does: signals.go
//   - one run, and what happens when it waits for a person: agentrun.go; questions at a terminal: internal/prompt; the chat:
//     chat.go and internal/chat
//   - what a run prints: render.go, and at a terminal internal/chat (Live); a thread: internal/threadview; an inspected plugin: inspectreport.go
//   - the version and schema of events: internal/eventdoc
//   - what init suggests: initdetect.go and internal/modelserver; its files: initfiles.go; of plugin new: pluginnew.go (chooseSDK) and
//     internal/scaffold; golden cases of plugin test: internal/golden
//   - cases of whole agents: test.go, what it prints testrecord.go; with real models: eval.go; of a recording: testnew.go; a recording
//     with a change: check.go. The format and the performance of cases are in the packages cases and cases/perform
//   - what diagnostics writes: diagnostics.go, diagnosticsfiles.go; the variables whose values it hides: diagnosticsvariables.go
//   - what doctor checks: doctor.go (the list), doctormanifest.go, doctormodel.go, doctorlocal.go, doctorstore.go, doctortools.go
package main

import (
	"context"
	"os"

	"github.com/mattn/go-isatty"
)

func main() {
	delayCollection()
	ctx, s := listen(context.Background())
	os.Exit(execute(ctx, os.Args[1:], streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stderr.Fd()), hold: s.hold, during: s.during,
		watched: isatty.IsTerminal(os.Stdout.Fd()) && isatty.IsTerminal(os.Stderr.Fd()),
	}))
}
