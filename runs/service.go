package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// ServiceConfig configures a [Service].
type ServiceConfig struct {
	Store  Store
	Agents map[string]Agent // by name
	Logger *slog.Logger     // nil: nothing is logged
	// MaxQueued is how many runs of an owner may wait or run at once; 0: any number.
	MaxQueued int
	// Expiry says when new threads are removed whose client says nothing about it; nil: they are kept.
	Expiry *Expiry
	// KeepEvents is how long the events of a run can be read after its end; 0: 24 hours.
	KeepEvents time.Duration
	// CheckWebhook refuses an address that may not be told how a run ended; nil: all are refused.
	CheckWebhook func(address string) error
	// Fire makes the run that a schedule starts; nil: schedules do not fire in this process.
	Fire func(ctx context.Context, s *Schedule) (*Submission, error)
	// Next returns when a schedule fires next; the zero time is never. It is needed with Fire.
	Next func(s *Schedule, after time.Time) time.Time
}

// Service is what doors of a server use: it stands between them and the agents. What a client asks of rows goes to the store; the service adds
// what concerns agents: their own assistants, the state of threads, and what a run may ask for. It does not perform runs, see package engine.
//
// Its methods may be called from several goroutines at once. Their errors are, or wrap, those of this package, and those of agents.
type Service struct {
	rows

	config ServiceConfig
	store  Store
	log    *slog.Logger
	own    []Assistant // those that stand for agents, by the names of the agents
	live   *Live
	reader *Reader

	ctx     context.Context //nolint:containedctx // that of the work in the background
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// rows are the methods of a store that a client's request may lead to as they are.
type rows interface {
	Threads
	Runs
	Assistants
	Schedules
}

// NewService returns a service, which must be closed. Its store must stay open until then.
func NewService(config ServiceConfig) (*Service, error) {
	switch {
	case config.Store == nil:
		return nil, errors.New("runs: the store is missing")
	case len(config.Agents) == 0:
		return nil, errors.New("runs: there are no agents")
	case config.Fire != nil && config.Next == nil:
		return nil, errors.New("runs: who makes the runs of schedules must say when they fire")
	}
	s := &Service{rows: config.Store, config: config, store: config.Store, log: config.Logger, live: NewLive()}
	s.reader = NewReader(config.Store, s.live, config.Logger)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.config.Agents = maps.Clone(config.Agents)
	for name, agent := range s.config.Agents {
		agent.Name = name
		s.config.Agents[name] = agent
	}
	s.config.KeepEvents = cmp.Or(config.KeepEvents, 24*time.Hour)
	now := Moment(time.Now()) //nolint:forbidigo // the times of a store are those of the machine
	for _, name := range slices.Sorted(maps.Keys(config.Agents)) {
		s.own = append(s.own, Assistant{
			ID: AssistantID(name), Agent: name, Name: name, Description: config.Agents[name].Description, Version: 1, Created: now, Updated: now,
			Metadata: Metadata{"created_by": "system"},
		})
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Start begins to start the runs of schedules, and to remove what has expired. It must be called at most once.
func (s *Service) Start() { s.stopped.Go(func() { s.upkeep(s.ctx) }) }

// Close ends the work of the service in the background.
func (s *Service) Close() {
	s.stop()
	s.stopped.Wait()
	s.reader.Close()
}

// Reader returns what follows runs.
func (s *Service) Reader() *Reader { return s.reader }

// Live takes the events of the runs that this process performs, for the clients that follow them here.
func (s *Service) Live() *Live { return s.live }

// AgentNames returns the names of the agents, sorted.
func (s *Service) AgentNames() []string { return slices.Sorted(maps.Keys(s.config.Agents)) }

// Agent returns an agent, or [ErrNoAgent].
func (s *Service) Agent(name string) (Agent, error) {
	agent, ok := s.config.Agents[name]
	if !ok {
		return Agent{}, fmt.Errorf("%w: %q; it has %q", ErrNoAgent, name, s.AgentNames())
	}
	return agent, nil
}
