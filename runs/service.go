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

	"github.com/agenthost/agenthost/host"
)

// ServiceConfig configures a [Service].
type ServiceConfig struct {
	Store  Store
	Agents map[string]Agent // by name
	Logger *slog.Logger     // nil: nothing is logged
	// MaxQueued is how many runs of an owner may wait or run at once; 0: any number.
	MaxQueued int
	// Budget is what the runs of each owner may cost; nil: any amount. Whoever performs runs keeps it, too.
	Budget *Budget
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
	names  []string // of the agents, sorted
	live   *Live
	reader *Reader

	mu     sync.RWMutex // guards what clients learn of agents
	agents map[string]Agent
	own    []Assistant // those that stand for agents, by the names of the agents

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
	Costs
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
	s.agents, s.names = maps.Clone(config.Agents), slices.Sorted(maps.Keys(config.Agents))
	for name, agent := range s.agents {
		agent.Name = name
		s.agents[name] = agent
	}
	s.config.KeepEvents = cmp.Or(config.KeepEvents, 24*time.Hour)
	now := Moment(time.Now()) //nolint:forbidigo // the times of a store are those of the machine
	for _, name := range s.names {
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
func (s *Service) AgentNames() []string { return slices.Clone(s.names) }

// Queued returns how many runs of each agent wait for a process to perform them, whoever's they are.
func (s *Service) Queued(ctx context.Context) (map[string]int, error) {
	found, err := s.store.Queued(ctx, s.names)
	if err != nil {
		return nil, err
	}
	for _, name := range s.names {
		found[name] += 0 // an agent without such runs has none, and is not unknown
	}
	return found, nil
}

// Agent returns an agent, or [ErrNoAgent].
func (s *Service) Agent(name string) (Agent, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	agent, ok := s.agents[name]
	if !ok {
		return Agent{}, fmt.Errorf("%w: %q; it has %q", ErrNoAgent, name, s.names)
	}
	return agent, nil
}

// Budget returns what the runs of each owner may cost; nil: any amount.
func (s *Service) Budget() *Budget { return s.config.Budget }

// Spenders returns what owners have spent since a day, for operators, see [Queue].
func (s *Service) Spenders(ctx context.Context, since time.Time, limit int) ([]Spending, error) {
	return s.store.Spenders(ctx, since, limit)
}

// Waiting returns how many threads of each agent wait for a person, whoever's they are.
func (s *Service) Waiting(ctx context.Context) (map[string]int, error) {
	found, err := s.store.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, name := range s.names {
		out[name] = found[name]
	}
	return out, nil
}

// Middleware returns the middleware of each agent, for display.
func (s *Service) Middleware() map[string][]host.Part {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := map[string][]host.Part{}
	for name, agent := range s.agents {
		if agent.Agent != nil {
			out[name] = agent.Middleware()
		}
	}
	return out
}

// Describe changes what clients learn of an agent, after [host.Agent.Reconfigure]: its description, the names of its models, and the schema
// of its context. The rest stays. The error is [ErrNoAgent].
func (s *Service) Describe(a Agent) error {
	agent, err := s.Agent(a.Name)
	if err != nil {
		return err
	}
	agent.Description, agent.Models, agent.Context = a.Description, a.Models, a.Context
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agents[a.Name] = agent
	own := &s.own[slices.Index(s.names, a.Name)]
	own.Description, own.Updated = a.Description, Moment(time.Now()) //nolint:forbidigo // the times of a store are those of the machine
	return nil
}
