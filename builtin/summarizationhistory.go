package builtin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/history"
)

// summaryWithFile is deepagents' form of a summary whose messages are in a file.
const summaryWithFile = `You are in the middle of a conversation that has been summarized.

The full conversation history has been saved to %s should you need to refer back to it for details.

A condensed summary follows:

<summary>
%s
</summary>`

// maxHistoryFile is the size of the largest file of a history, in bytes. Then another file begins.
const maxHistoryFile = backend.MaxFile

// historyFiles keeps the messages that a summary replaces, where the filesystem of the agent has its files.
type historyFiles struct {
	fsys    *filesystem
	session host.TypedField[string] // the name of the thread's file
}

// openHistoryFiles opens the files of the agent's filesystem, and adds to hooks what they need.
func openHistoryFiles(ctx context.Context, env *host.Env, hooks *host.Hooks) (*historyFiles, error) {
	config, at := configOf[Filesystem](env.Middleware)
	if at < 0 {
		return nil, errors.New("offload_history needs the middleware filesystem, with which the model reads the history; add it to the agent")
	}
	source, err := openFileSource(ctx, env, config.Root, config.Backend, backend.Options{RefuseLinks: len(config.Permissions) > 0})
	if err != nil {
		return nil, fmt.Errorf("offload_history: %w", err)
	}
	h := &historyFiles{
		fsys:    &filesystem{fileSource: source},
		session: host.NewField[string](ownField("summarization_session_id", summarizationEntry.Name, env.Name), host.Hidden),
	}
	hooks.State = append(hooks.State, h.session.Field)
	source.install(hooks)
	return h, nil
}

// historyCall is one call of a hook or tool that writes histories. All methods accept nil: then nothing is written.
type historyCall struct {
	*historyFiles

	rt    *host.Runtime
	files backend.View
	named string // the session, if it was used
}

// openHistory opens the files for a call; nil if there are none. call is the id of the tool call, or "" in a hook.
func (r *summarizer) openHistory(rt *host.Runtime, call string) *historyCall {
	if r.history == nil {
		return nil
	}
	files, err := r.history.fsys.opened.At(rt, call)
	if err != nil {
		rt.Warn("summarization: the files of the history cannot be opened: " + err.Error())
		return nil
	}
	return &historyCall{historyFiles: r.history, rt: rt, files: files}
}

// add appends messages to the file of the thread and returns its path. If that fails, the path is "" and the user is warned: a
// summary without a file is better than none.
func (c *historyCall) add(ctx context.Context, messages history.List) string {
	if c == nil {
		return ""
	}
	session, _, err := c.session.Get(c.rt.State())
	if session == "" {
		session = "session_" + c.rt.RunID()
	}
	var path string
	if err == nil {
		path, err = appendHistory(ctx, c.files, c.fsys.artifact(largeHistory)+fileNameOf(session), historySection(c.rt.Now(), messages))
	}
	if err != nil {
		c.rt.Warn("summarization: the summarized messages are not in a file: " + err.Error())
		return ""
	}
	c.named = session
	return path
}

// evict moves a long result to a file, as the filesystem does, and returns what takes its place; "" if that fails.
func (c *historyCall) evict(ctx context.Context, id, result string) string {
	if c == nil {
		return ""
	}
	path, err := c.fsys.keep(ctx, c.files, c.fsys.artifact(largeResults)+fileNameOf(id), "", result)
	if err != nil {
		c.rt.Warn("summarization: a clipped result is not in a file: " + err.Error())
		return ""
	}
	return fmt.Sprintf(tooLargeResult, id, path, preview("result", result))
}

// changes returns the fields of the state that the call has changed.
func (c *historyCall) changes() (wire.Map, error) {
	if c == nil {
		return nil, nil
	}
	changed := &host.Update{}
	if own := c.files.Changes(); own != nil {
		changed.State = own.State
	}
	if c.named == "" {
		return changed.State, nil
	}
	return changed.State, c.session.Set(changed, c.named)
}

// historySection writes messages in deepagents' form. Earlier summaries are left out, because their messages are already there.
func historySection(now time.Time, messages history.List) []byte {
	var kept []abi.Message
	for _, m := range messages.All() {
		if !isSummary(m) {
			kept = append(kept, *m)
		}
	}
	return []byte("## Summarized at " + now.UTC().Format(time.RFC3339Nano) + "\n\n" + joinedTranscript(kept) + "\n\n")
}

// appendHistory appends a section to the last file of a name, or to the next numbered one if that becomes too large, and returns the
// path.
func appendHistory(ctx context.Context, files backend.Files, name string, section []byte) (string, error) {
	if len(section) > maxHistoryFile {
		return "", fmt.Errorf("the messages have more than %d MiB", maxHistoryFile>>20)
	}
	path := name + ".md"
	for i := 2; i <= maxSameName; i++ {
		next := fmt.Sprintf("%s_%d.md", name, i)
		if _, err := files.Stat(ctx, next); backend.Is(err, backend.NotFound) {
			return addToFile(ctx, files, path, next, section)
		} else if err != nil {
			return "", err
		}
		path = next
	}
	return "", fmt.Errorf("there are already %d files named %s", maxSameName, name)
}

// addToFile appends a section to a file, or begins the next one if the file is too large.
func addToFile(ctx context.Context, files backend.Files, path, next string, section []byte) (string, error) {
	before, err := backend.ReadFile(ctx, files, path, maxHistoryFile)
	switch {
	case backend.Is(err, backend.NotFound):
		return path, files.Write(ctx, path, section)
	case backend.Is(err, backend.TooLarge) || err == nil && len(before)+len(section) > maxHistoryFile:
		return next, files.Write(ctx, next, section)
	case err != nil:
		return "", err
	}
	return path, files.Write(ctx, path, append(before, section...))
}
