package threadview

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// ExportFormat is the version of the format of exports. New keys do not change it; changes of existing keys do.
const ExportFormat = "agenthost.thread/1"

// Export is a complete thread.
type Export struct {
	Format string `json:"format"`
	Conversation

	Program     *Program `json:"program,omitempty"` // of the agent that saved the checkpoint
	Checkpoints []Entry  `json:"checkpoints"`       // of all branches, the oldest first
}

// Program identifies the program of an agent.
type Program struct {
	Digest     string `json:"digest"`
	Middleware []Part `json:"middleware"`
	Manifest   string `json:"manifest,omitempty"` // the path of the manifest that the run was started with
}

// Part is a middleware of a program.
type Part struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
}

// LoadExport returns a complete thread, with its content at a checkpoint, or at its newest one if the number is 0.
func LoadExport(ctx context.Context, s checkpoint.Store, thread string, at checkpoint.ID) (*Export, error) {
	c, err := Load(ctx, s, thread, at)
	if err != nil {
		return nil, err
	}
	entries, err := History(ctx, s, thread)
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	out := &Export{Format: ExportFormat, Conversation: *c, Checkpoints: entries}
	if c.Program != nil {
		out.Program = &Program{Digest: c.Program.Digest, Middleware: make([]Part, len(c.Program.Middleware)), Manifest: c.Program.Manifest}
		for i, part := range c.Program.Middleware {
			out.Program.Middleware[i] = Part(part)
		}
	}
	return out, nil
}
