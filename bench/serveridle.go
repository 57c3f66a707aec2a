package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// crowdOfStreams is how many streams or threads the suite idle looks at.
const crowdOfStreams = 1000

// The cases of the suite idle.
const (
	idleStream = "stream"
	idleThread = "thread"
	idleServer = "server"
)

func idleSuite() *Suite {
	row := func(label, peer, flavor string) Row {
		return Row{Label: label, Peer: peer, Flavor: flavor, Format: size}
	}
	return &Suite{
		Name: "idle", Title: "the memory of a server of agents that nobody asks for anything", Unit: "thing",
		Cases: []Case{{idleServer, "the server after its first run"}, {idleStream, "an idle stream"}, {idleThread, "an idle thread"}},
		Free:  true,
		Reps:  serverReps,
		Rows: []Row{
			row(oursInSQLite, "agenthost", inSQLite),
			row("agenthost, memory", "agenthost", inMemory),
			row(oursInPostgres, "agenthost", inPostgres),
			row(peerDev, "langgraph-server", ""),
			row(peerAegra, "aegra", inPostgres),
		},
		Measure: measureIdle,
	}
}

// measureIdle measures how much more memory a server has with streams of threads in which nothing happens, or with threads.
func measureIdle(ctx context.Context, _ *Options, row Row, c Case) (_ *Measurement, err error) {
	s, err := startAgents(ctx, row, "http://127.0.0.1:1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	before, err := s.settled(ctx)
	if err != nil {
		return nil, err
	}
	switch c.Name {
	case idleServer:
		return &Measurement{NS: before, Check: "a run"}, nil
	case idleThread:
		if err := s.threads(ctx); err != nil {
			return nil, err
		}
	case idleStream:
		streams, err := s.streams(ctx)
		defer func() {
			for _, stream := range streams {
				_ = stream.Close()
			}
		}()
		if err != nil {
			return nil, err
		}
	}
	after, err := s.settled(ctx)
	if err != nil {
		return nil, err
	}
	return &Measurement{NS: max(after-before, 1) / crowdOfStreams, Check: strconv.Itoa(crowdOfStreams)}, nil
}

// threads makes a crowd of threads with a run each, by 20 clients.
func (s *agentServer) threads(ctx context.Context) error {
	const clients = 20
	failed := make([]error, clients)
	var working sync.WaitGroup
	for i := range clients {
		working.Go(func() {
			for range crowdOfStreams / clients {
				if failed[i] = s.run(ctx); failed[i] != nil {
					return
				}
			}
		})
	}
	working.Wait()
	return errors.Join(failed...)
}

// streams opens a crowd of streams.
func (s *agentServer) streams(ctx context.Context) (streams []io.Closer, err error) {
	for range crowdOfStreams {
		stream, err := s.idle(ctx)
		if err != nil {
			return streams, err
		}
		streams = append(streams, stream)
	}
	return streams, nil
}

// idle opens the stream of a new thread, in which nothing happens.
func (s *agentServer) idle(ctx context.Context) (io.ReadCloser, error) {
	id := newID()
	if _, err := s.do(ctx, http.MethodPost, "/threads", `{"thread_id": "`+id+`"}`); err != nil {
		return nil, err
	}
	stream, err := s.open(ctx, http.MethodGet, "/threads/"+id+"/stream", "")
	if err != nil {
		return nil, absentError(err.Error())
	}
	return stream, nil
}

// settled returns the memory of the server when it has not changed by more than a hundredth for two seconds.
func (s *agentServer) settled(ctx context.Context) (float64, error) {
	last, err := s.memory()
	if err != nil {
		return 0, err
	}
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for range 10 {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-tick.C:
		}
		now, err := s.memory()
		if err != nil {
			return 0, err
		}
		if now > last*0.99 && now < last*1.01 {
			return now, nil
		}
		last = now
	}
	return last, nil
}
