package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// tracer notes spans as lines, each indented below the one that it is within.
type tracer struct {
	mu    sync.Mutex
	lines []string
	open  int
	ends  []host.Event
}

type depthKey struct{}

func (tr *tracer) Start(ctx context.Context, s host.Span) (context.Context, func(e *host.Event)) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	depth, _ := ctx.Value(depthKey{}).(int)
	text := strings.Repeat("  ", depth) + string(s.Kind)
	if s.Step != "" {
		text += " " + s.Step
	}
	if s.Call != nil {
		text += " " + s.Call.Name
	}
	if s.Request != nil {
		text += fmt.Sprintf(" %s, %d messages", s.Model.Name, s.Request.Messages.Len())
	}
	at := len(tr.lines)
	tr.lines = append(tr.lines, text)
	tr.open++
	return context.WithValue(ctx, depthKey{}, depth+1), func(e *host.Event) {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.open--
		tr.ends = append(tr.ends, *e)
		tr.lines[at] += ": " + string(e.Type)
		switch {
		case e.Error != nil:
			tr.lines[at] += ", " + e.Error.Message
		case e.Status != "":
			tr.lines[at] += ", " + string(e.Status)
		case len(e.Interrupts) > 0:
			tr.lines[at] += ", asks"
		}
	}
}

// traced gives the agent a tracer, and checks in the end that all spans have ended.
func (b *bundle) traced() *tracer {
	tr := &tracer{}
	b.Tracer = tr
	b.t.Cleanup(func() { require.Zero(b.t, tr.open) })
	return tr
}

func TestTracer(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("search"), scripted.Say("done")).keeps()
	tr := b.traced()
	within := func(ctx context.Context) int { depth, _ := ctx.Value(depthKey{}).(int); return depth }
	b.tool("search", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		require.Equal(t, 3, within(ctx), "the tool is within its call, and that within a hook")
		return host.TextOutput("found"), nil
	})
	b.use(
		host.BeforeModel("before", func(ctx context.Context, _ *host.Runtime) (*host.Update, error) {
			require.Equal(t, 2, within(ctx))
			return nil, nil
		}),
		host.WrapModelCall("around", passing(nothing)),
		host.WrapToolCall("wraps", passingCall),
	)
	completed(t, b.build(), say("hi"))
	require.Equal(t, []string{
		"run: end, completed",
		"  checkpoint: checkpoint",
		"  hook before.before_model: hook",
		"  hook around.wrap_model_call: hook",
		"    model model scripted, 1 messages: model",
		"  checkpoint model: checkpoint",
		"  tool tools search: tool",
		"    hook wraps.wrap_tool_call search: hook",
		"  checkpoint tools: checkpoint",
		"  hook before.before_model: hook",
		"  hook around.wrap_model_call: hook",
		"    model model scripted, 3 messages: model",
		"  checkpoint model: checkpoint",
	}, tr.lines)
}

// Nobody listens to the events of a run, and its spans still end with all that they say.
func TestTracerWithoutAListener(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	tr := b.traced()
	b.use(host.BeforeAgent("sets", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		rt.Observe(host.Observation{Fuel: 7, Digest: "sha256:00", Instance: 3})
		return setting("note", "secret"), nil
	}, host.WithFields(host.Field{Name: "note"})))
	b.mustRun()
	at := slices.IndexFunc(tr.ends, func(e host.Event) bool { return e.Type == host.EventHook })
	require.Equal(t, []any{uint64(7), "sha256:00", uint64(3)}, []any{tr.ends[at].Fuel, tr.ends[at].Digest, tr.ends[at].Instance})
	require.Equal(t, `{"note":"secret"}`, tr.ends[at].Update.State.Raw().JSON())
}

func TestATracerIsToldOfFailures(t *testing.T) {
	t.Parallel()
	t.Run("of hooks and runs", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		tr := b.traced()
		_, err := b.use(host.BeforeAgent("breaks", constant(nil, errors.New("broken")))).run()
		require.Error(t, err)
		require.Equal(t, []string{
			`run: end, middleware "breaks": before_agent: broken`,
			`  hook breaks.before_agent: hook, broken`,
		}, tr.lines)
	})
	t.Run("of models that hooks call", func(t *testing.T) {
		t.Parallel()
		b := setup(t, scripted.Say("done"))
		tr := b.traced()
		small := scripted.NewTurns(scripted.Fail(errors.New("down")))
		b.use(host.BeforeAgent("asks", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			_, err := rt.Generate(ctx, small, &model.Request{})
			require.Error(t, err)
			return nil, nil
		}))
		b.mustRun()
		require.Equal(t, `    model asks.before_agent scripted, 0 messages: model, model "scripted": down`, tr.lines[2])
	})
	t.Run("of questions", func(t *testing.T) {
		t.Parallel()
		b := setup(t, calls("ask")).keeps().tool("ask", asking)
		tr := b.traced()
		outcome(t, b.build(), say("hi"))
		require.Contains(t, tr.lines, "  tool tools ask: tool, asks")
		require.Equal(t, "run: end, interrupted", tr.lines[0])
	})
	t.Run("of saves", func(t *testing.T) {
		t.Parallel()
		b := setup(t, scripted.Say("done"))
		tr := b.traced()
		b.Checkpointer = full{memory.New()}
		events := 0
		_, err := b.build().RunEvents(t.Context(), say("hi"), func(e host.Event) error {
			if e.Type == host.EventCheckpoint {
				events++
			}
			return nil
		})
		require.ErrorContains(t, err, "disk full")
		require.Contains(t, tr.lines, "  checkpoint: checkpoint, disk full")
		require.Zero(t, events, "nothing was saved")
	})
}

func TestTracePolicy(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	tr := b.traced()
	silent := func(e host.Event) host.Event {
		e.Update, e.Messages = nil, nil
		return e
	}
	b.use(&middleware{name: "m", hooks: host.Hooks{
		State:         []host.Field{{Name: "note"}},
		BeforeAgent:   host.NodeHook{Func: constant(setting("note", "secret"), nil)},
		WrapModelCall: host.WrapModelHook{Func: passing(nothing)},
		TracePolicy:   silent,
	}})
	events, err := b.stream()
	require.NoError(t, err)
	hooks := func(all []host.Event) (out []string) {
		for i := range all {
			if e := &all[i]; e.Type == host.EventHook {
				out = append(out, fmt.Sprintf("%s %d %t", e.Step, len(e.Messages), e.Update != nil))
			}
		}
		return out
	}
	require.Equal(t, []string{"m.before_agent 0 false", "m.wrap_model_call 0 false"}, hooks(tr.ends))
	require.Equal(t, []string{"m.before_agent 0 true", "m.wrap_model_call 1 false"}, hooks(events), "events have what they had")
}

// full is a store without space.
type full struct{ checkpoint.Store }

func (f full) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	session, err := f.Store.Open(ctx, thread)
	return fullSession{session}, err
}

type fullSession struct{ checkpoint.Session }

func (fullSession) Save(context.Context, *checkpoint.Commit) (checkpoint.ID, error) {
	return 0, errors.New("disk full")
}

// Tool calls that run at once are traced at once, while their events wait for their turn.
func TestCallsAtOnceAreTraced(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work", "work", "work"), scripted.Say("done")).answering("work", "ok")
	tr := b.traced()
	_, err := b.stream()
	require.NoError(t, err)
	n := 0
	for _, line := range tr.lines {
		if line == "  tool tools work: tool" {
			n++
		}
	}
	require.Equal(t, 3, n)
}

func TestATraceKnowsTheRunAndWhatItIsFor(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("ask"), scripted.Say("done")).keeps().tool("ask", asking)
	var spans []host.Span
	b.Name, b.Tracer = "helper", startFunc(func(s host.Span) {
		if s.Kind == host.SpanRun {
			spans = append(spans, s)
		}
	})
	agent := b.build()
	in := say("hi")
	in.Metadata = wire.Map{{Key: "ticket", Value: wire.String("T-1")}}
	first := outcome(t, agent, in)
	completed(t, agent, resume(host.Answer{Value: "yes"}))
	require.Equal(t, []host.Span{
		{Kind: host.SpanRun, Agent: "helper", Run: first.RunID, Thread: "t", Metadata: in.Metadata},
		{Kind: host.SpanRun, Agent: "helper", Run: first.RunID, Thread: "t", GoesOn: true},
	}, spans)
}

type startFunc func(s host.Span)

func (f startFunc) Start(ctx context.Context, s host.Span) (context.Context, func(*host.Event)) {
	f(s)
	return ctx, func(*host.Event) {}
}

func TestTheTimeToTheFirstToken(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("some words"))
	n := 0
	b.Clock = func() time.Time { n++; return time.Unix(int64(n), 0) }
	events, err := b.stream()
	require.NoError(t, err)
	at := slices.IndexFunc(events, func(e host.Event) bool { return e.Type == host.EventModel })
	require.Positive(t, events[at].FirstToken)
	require.Greater(t, events[at].Duration, events[at].FirstToken)
}

// A run that goes on is told which span the part before had, also after its process has ended.
func TestARunThatGoesOnKnowsTheSpanOfThePartBefore(t *testing.T) {
	t.Parallel()
	spans := &spanNames{}
	b := setup(t, calls("ask"), scripted.Say("done"), scripted.Say("again")).keeps()
	b.Tracer = spans
	b.tool("ask", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		if rt.Answers().Get("q").IsZero() {
			return nil, &host.InterruptError{Interrupts: []abi.Interrupt{{Key: "q"}}}
		}
		return host.TextOutput("thanks"), nil
	})
	interrupted(t, b.build(), say("hi"))
	completed(t, b.build(), resume(host.Answer{Value: "yes"}))
	completed(t, b.build(), say("again"))
	require.Equal(t, []string{"", "00-1", ""}, spans.earlier)
}

// spanNames gives the spans of runs names.
type spanNames struct {
	mu      sync.Mutex
	earlier []string
}

func (s *spanNames) Start(ctx context.Context, span host.Span) (context.Context, func(*host.Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if span.Kind == host.SpanRun {
		s.earlier = append(s.earlier, span.Earlier)
		ctx = tracecontext.With(ctx, tracecontext.Context{Parent: fmt.Sprintf("00-%d", len(s.earlier))})
	}
	return ctx, func(*host.Event) {}
}

// The end of a run tells a tracer the messages that the run has added, as the hooks have left them.
func TestATracerIsToldTheMessagesOfARun(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("first"), scripted.Say("second")).keeps()
	tr := b.traced()
	b.use(host.AfterModel("shouts", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		last, _ := rt.State().Messages().Last()
		last.Content = abi.Text(strings.ToUpper(last.Content.Text()))
		return &host.Update{Messages: []abi.Message{last}}, nil
	}))
	agent := b.build()
	completed(t, agent, say("one"))
	completed(t, agent, say("two"))
	var texts []string
	for _, e := range tr.ends {
		if e.Type == host.EventEnd {
			for i := range e.Messages {
				texts = append(texts, e.Messages[i].Content.Text())
			}
		}
		if e.Type == host.EventModel {
			require.Equal(t, e.Messages[0].Content.Text(), e.Response.Messages[0].Content.Text())
		}
	}
	require.Equal(t, []string{"one", "FIRST", "two", "SECOND"}, texts)
}
