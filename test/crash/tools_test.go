//go:build unix

package crash_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// The tools. Those that are not idempotent have an effect on the world.
const (
	toolSend  = "send"  // has an effect
	toolFlaky = "flaky" // also has one, and fails a few times
	toolAsk   = "ask"   // asks a question first
	toolRing  = "ring"  // is called by a hook
	toolLook  = "look"  // is idempotent
	toolBoth  = "both"  // is idempotent because it only calls send
)

// world is the world outside the agent: a file in which every line is one effect of a tool.
type world struct {
	dir    string
	notes  *notes
	within func(ctx context.Context, call string) error // runs within each effect; may be nil
	alone  bool                                         // no two tools run at once, in any process
}

// effect is one execution of a tool that is not idempotent.
type effect struct {
	Call string `json:"call"`
	Key  string `json:"key"` // idempotency key of the execution
}

func (e effect) String() string { return fmt.Sprintf("the execution %s of the call %s", e.Key, e.Call) }

// effects counts the effects that happened.
type effects struct {
	times  map[effect]int
	done   map[string]int // successful executions of each call
	failed map[string]int
}

const (
	effectsFile = "effects"
	looksFile   = "looks"
)

// effects reads all effects after all processes have stopped writing.
func (w *world) effects() (*effects, error) {
	text, err := w.written()
	if err != nil {
		return nil, err
	}
	return effectsIn(text)
}

// failures returns how often a call has failed so far. Other calls may be writing at the same time. A line that crosses a
// page of the file is written in two parts, so the last line may be incomplete.
func (w *world) failures(call string) (int, error) {
	text, err := w.written()
	if err != nil {
		return 0, err
	}
	happened, err := effectsIn(text[:strings.LastIndexByte(text, '\n')+1])
	if err != nil {
		return 0, err
	}
	return happened.failed[call], nil
}

// written returns the text of all effects, or "" if there are none yet.
func (w *world) written() (string, error) {
	text, err := os.ReadFile(filepath.Join(w.dir, effectsFile))
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	return string(text), nil
}

func effectsIn(text string) (*effects, error) {
	out := &effects{map[effect]int{}, map[string]int{}, map[string]int{}}
	for line := range strings.Lines(text) {
		var e effect
		var fails bool
		if _, err := fmt.Sscanf(line, "%s %s %t\n", &e.Call, &e.Key, &fails); err != nil {
			return nil, fmt.Errorf("the line %q: %w", line, err)
		}
		out.times[e]++
		if fails {
			out.failed[e.Call]++
		} else {
			out.done[e.Call]++
		}
	}
	return out, nil
}

// happens writes a line. The line is on disk when happens returns.
func (w *world) happens(file string, e effect, fails bool) error {
	f, err := os.OpenFile(filepath.Join(w.dir, file), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(f, "%s %s %t\n", e.Call, e.Key, fails); err == nil {
		err = f.Sync()
	}
	if failure := f.Close(); err == nil {
		err = failure
	}
	return err
}

// exclude returns an error if another tool is running at the same time.
func (w *world) exclude(call string) (release func() error, err error) {
	if !w.alone {
		return func() error { return nil }, nil
	}
	path := filepath.Join(w.dir, "running")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		w.notes.violation(fmt.Sprintf("the call %s runs beside another: %v", call, err))
		return nil, err
	}
	return func() error { return os.Remove(path) }, f.Close()
}

// do performs one execution of a tool. If it fails, it fails after its effect.
func (w *world) do(ctx context.Context, rt *host.Runtime, file string, call *abi.ToolCall, fails bool) (err error) {
	w.notes.pointf("%s %s: starts", call.Name, call.ID)
	release, err := w.exclude(call.ID)
	if err != nil {
		return err
	}
	defer func() {
		if failure := release(); err == nil {
			err = failure
		}
	}()
	if w.within != nil {
		if err := w.within(ctx, call.ID); err != nil {
			return err
		}
	}
	if err := w.happens(file, effect{call.ID, rt.IdempotencyKey()}, fails); err != nil {
		return err
	}
	w.notes.pointf("%s %s: ends", call.Name, call.ID)
	if fails {
		return errUnlucky
	}
	return nil
}

// resultOf returns a tool's answer to a call, whichever execution succeeds.
func resultOf(name, call string) string { return name + " has done " + call }

func (w *world) tools() []host.Tool {
	return []host.Tool{
		newTool(toolSend, func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) error {
			return w.do(ctx, rt, effectsFile, call, false)
		}),
		newTool(toolRing, func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) error {
			return w.do(ctx, rt, effectsFile, call, false)
		}),
		newTool(toolFlaky, func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) error {
			var args wire.Map
			if _, err := args.UnmarshalMsg(call.Args); err != nil {
				return err
			}
			until, _ := args.Get("fails").AsInt()
			failed, err := w.failures(call.ID)
			if err != nil {
				return err
			}
			return w.do(ctx, rt, effectsFile, call, failed < int(until))
		}),
		newTool(toolAsk, func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) error {
			if _, err := rt.Interrupt("really", wire.String(call.ID)); err != nil {
				return err
			}
			return w.do(ctx, rt, effectsFile, call, false)
		}),
		newTool(toolLook, func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) error {
			return w.do(ctx, rt, looksFile, call, false)
		}, tool.Idempotent()),
		newTool(toolBoth, func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) error {
			for range 2 {
				if _, err := rt.CallTool(ctx, toolSend, call.Args); err != nil {
					return err
				}
			}
			return nil
		}, tool.Idempotent()),
	}
}

// newTool makes a tool that counts its successes in the state.
func newTool(
	name string, do func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) error, options ...tool.Option,
) host.Tool {
	spec := abi.ToolSpec{Name: name}
	for _, option := range options {
		option(&spec)
	}
	return tool.Raw(spec, func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		if err := do(ctx, rt, call); err != nil {
			return nil, err
		}
		output := host.TextOutput(resultOf(name, call.ID))
		if !spec.Idempotent {
			output.Update = adding(fieldSent, 1)
		}
		return output, nil
	})
}

// A line without its end may still be in the course of being written, but the final check treats it as a fault.
func TestALineThatHasNoEnd(t *testing.T) {
	t.Parallel()
	w := &world{dir: t.TempDir()}
	require.NoError(t, w.happens(effectsFile, effect{"a", "1"}, true))
	f, err := os.OpenFile(filepath.Join(w.dir, effectsFile), os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString("a 2")
	require.NoError(t, err)
	require.NoError(t, f.Close())

	failed, err := w.failures("a")
	require.NoError(t, err)
	require.Equal(t, 1, failed)
	_, err = w.effects()
	require.ErrorContains(t, err, `the line "a 2"`)
}
