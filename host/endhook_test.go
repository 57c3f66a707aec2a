package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// ending notes when runs end.
func (b *bundle) ending() host.Middleware {
	return &middleware{name: "ending", hooks: host.Hooks{End: func(ctx context.Context, run string) {
		b.notef("%s is over, %v", run, ctx.Err())
	}}}
}

func (b *bundle) counted() *bundle {
	seed := uint64(0)
	b.Seed = func() uint64 { seed++; return seed }
	return b
}

func TestEndIsToldOnce(t *testing.T) {
	t.Parallel()
	say1, goOn := say("hi"), goOn()
	answer := func(text string) host.Input { return resume(host.Answer{Value: text}) }
	again := say("something else")
	for name, test := range map[string]struct {
		inputs []host.Input
		thread bool
		use    func(b *bundle)
		want   [][]string // what is told by each input
	}{
		"completed":          {inputs: []host.Input{hi()}, want: [][]string{{"run-1"}}},
		"completed thread":   {inputs: []host.Input{say1, goOn, again}, thread: true, want: [][]string{{"run-1"}, nil, {"run-3"}}},
		"failed":             {inputs: []host.Input{hi()}, use: failing, want: [][]string{{"run-1"}}},
		"failed thread":      {inputs: []host.Input{say1, goOn, again}, thread: true, use: failing, want: [][]string{nil, nil, {"run-1"}}},
		"interrupted":        {inputs: []host.Input{hi()}, use: askingOnce, want: [][]string{{"run-1"}}},
		"interrupted thread": {inputs: []host.Input{say1, goOn, answer("a")}, thread: true, use: askingOnce, want: [][]string{nil, nil, {"run-1"}}},
		"given up":           {inputs: []host.Input{say1, again, answer("a")}, thread: true, use: askingOnce, want: [][]string{nil, {"run-1"}, {"run-2"}}},
		"refused":            {inputs: []host.Input{goOn}, thread: true, want: [][]string{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done"), scripted.Say("done"), scripted.Say("done"), scripted.Say("done")).counted()
			if test.thread {
				b.keeps()
			}
			b.use(b.ending())
			if test.use != nil {
				test.use(b)
			}
			agent := b.build()
			for i, input := range test.inputs {
				b.log = nil
				_, _ = agent.Run(t.Context(), input)
				var want []string
				for _, id := range test.want[i] {
					want = append(want, id+" is over, <nil>")
				}
				require.Equal(t, want, b.log, "input %d", i)
			}
		})
	}
}

func failing(b *bundle) {
	b.use(host.BeforeModel("fail", constant(nil, errors.New("broken"))))
}

func askingOnce(b *bundle) {
	b.use(host.BeforeModel("ask", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.Interrupt("q", nil)
		return nil, err
	}))
}

// With the thread in which it could go on, a run is over; one that has completed was so before.
func TestEndOfARunWhoseThreadIsForgotten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		use  func(b *bundle)
		want []string
	}{
		"failed": {failing, []string{"run-1 is over, <nil>"}}, "interrupted": {askingOnce, []string{"run-1 is over, <nil>"}},
		"completed": {func(*bundle) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done")).counted().keeps()
			test.use(b.use(b.ending()))
			agent := b.build()
			_, _ = agent.Run(t.Context(), say("hi"))
			b.log = nil
			require.NoError(t, agent.Forget(t.Context(), say("hi").Thread))
			require.Equal(t, test.want, b.log)
			require.NoError(t, agent.Forget(t.Context(), say("hi").Thread))
			require.Equal(t, test.want, b.log, "once")
		})
	}
}

func TestEndOfACancelledRun(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).counted()
	ctx, cancel := context.WithCancel(t.Context())
	b.use(b.ending(), host.BeforeModel("stop", func(context.Context, *host.Runtime) (*host.Update, error) {
		cancel()
		return nil, nil
	}))
	_, err := b.build().Run(ctx, hi())
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"run-1 is over, <nil>"}, b.log)
}

func TestAPanicInEndIsNoFailureOfTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.use(&middleware{name: "m", hooks: host.Hooks{End: func(context.Context, string) { panic("no") }}}, b.ending())
	b.mustRun()
	require.Len(t, b.log, 1)
}

func TestCapabilitiesNameTheirMiddleware(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	asked := []host.Capability{{Op: "x.y", Reason: "to see"}}
	b.use(
		&middleware{name: "m", hooks: host.Hooks{Capabilities: asked}}, &middleware{name: "m", hooks: host.Hooks{Capabilities: asked}},
		host.BeforeModel("n", constant(nil, nil)),
	)
	require.Equal(t, []host.Capability{
		{Middleware: "m", Op: "x.y", Reason: "to see"}, {Middleware: "m#2", Op: "x.y", Reason: "to see"},
	}, b.build().Capabilities())
}
