package author

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// Replay repeats recorded calls of a plugin without a host: the recording answers the guest's requests. Calls may be
// repeated individually and in any order, by one goroutine at a time. A Replay must be closed.
type Replay struct {
	plugin *plugin.Plugin
	same   bool
}

// replayDeadline is how long a guest may take for a repeated call; usually its fuel ends it earlier.
const replayDeadline = time.Minute

// NewReplay loads a module as an agent does, and configures it as it was when it was recorded. It uses the module of w with
// its checks, the Engine, and Config, which replaces the recorded configuration unless it is nil. The limits and the isolation
// are those of the recording, and stand-ins replace what was granted; the deadline is that of w, or a minute. The logger gets
// the lines that the guest logs; nil drops them.
func NewReplay(ctx context.Context, w plugin.Wasm, recorded *cassette.Plugin, logger *slog.Logger) (*Replay, error) {
	l := &recorded.Limits
	env := host.Env{Name: recorded.Name, Logger: logger}
	module := plugin.Wasm{
		ID: w.ID, Path: w.Path, Bytes: w.Bytes, SHA256: w.SHA256, Minisign: w.Minisign, Signature: w.Signature, Config: w.Config, Engine: w.Engine,
		Isolation: plugin.IsolateCall,
		Limits: plugin.Limits{
			Memory: l.Memory, Fuel: l.Fuel, Deadline: cmp.Or(w.Limits.Deadline, replayDeadline), Input: l.Input, Result: l.Result, HostCalls: l.HostCalls,
			Next: l.Next, Log: l.Log, Instances: 1,
		},
	}
	module.Grant, env.Models = plugin.GrantToReplay(recorded)
	if module.Config == nil {
		config, err := wire.Raw(recorded.Config).Value()
		if err != nil {
			return nil, fmt.Errorf("the recorded configuration: %w", err)
		}
		module.Config, _ = config.(map[string]any)
	}
	p, err := module.Load(ctx, env)
	if err != nil {
		return nil, err
	}
	now := p.Cassette()
	same := now.SHA256 == recorded.SHA256 && bytes.Equal(now.Config, recorded.Config) && now.Costs == recorded.Costs
	return &Replay{plugin: p, same: same}, nil
}

// Same reports whether module and configuration are those of the recording and fuel is counted in the same way, in which
// case calls must use the same fuel.
func (r *Replay) Same() bool { return r.same }

// Usage returns what the module has used so far.
func (r *Replay) Usage() plugin.Usage { return r.plugin.Usage() }

// SHA256 returns the digest of the module, in hexadecimal.
func (r *Replay) SHA256() string { return r.plugin.Cassette().SHA256 }

// Close ends the replay.
func (r *Replay) Close() error { return r.plugin.Close() }

// Call repeats a recorded call and returns a frame of the new call, see [plugin.Plugin.Repeat]. Use [cassette.Compare] to
// compare it with the recorded one.
func (r *Replay) Call(ctx context.Context, recorded *cassette.Frame) (*cassette.Frame, error) {
	return r.plugin.Repeat(ctx, recorded)
}
