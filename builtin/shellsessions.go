package builtin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agenthost/agenthost/builtin/internal/shellsession"
	"github.com/agenthost/agenthost/host"
)

// shellSessions are the sessions of an agent's runs.
type shellSessions struct {
	config    shellsession.Config // without the directory
	policy    ShellPolicy         // with its defaults
	workspace string              // absolute; "" means that each run has its own
	startup   []string
	shutdown  []string
	idle      time.Duration
	redact    redaction
	logger    *slog.Logger

	mu     sync.Mutex
	runs   map[string]*shellRun
	closed bool
	ending sync.WaitGroup // idle sessions that are ending
}

// shellRun is the session and workspace of a run. The holder of its turn may use the other fields.
type shellRun struct {
	id   string
	turn chan struct{} // holds one token

	session   *shellsession.Session // nil if there is none yet
	workspace shellWorkspace
	known     bool   // it is known whether another process had a session of the run
	unaware   bool   // a session is lost, and the model does not know
	lostAt    string // the id of the message whose other commands were meant for a lost session
	uses      int
	stopIdle  func() // stops the idle timer
	gone      bool   // the run is no longer in the map
}

// enter waits for a call's turn in a run.
func (s *shellSessions) enter(ctx context.Context, run string) (*shellRun, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, errors.New("the agent is closed")
		}
		r := s.runs[run]
		if r == nil {
			r = &shellRun{id: run, turn: make(chan struct{}, 1), stopIdle: func() {}}
			s.runs[run] = r
		}
		s.mu.Unlock()
		select {
		case r.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !r.gone {
			r.uses++
			r.stopIdle()
			return r, nil
		}
		<-r.turn
	}
}

// leave ends a turn. The session is idle from now on.
func (s *shellSessions) leave(r *shellRun) {
	if !r.gone {
		uses := r.uses
		ctx, cancel := context.WithTimeout(context.Background(), s.idle)
		stop := context.AfterFunc(ctx, func() { s.endIdle(r, uses) })
		r.stopIdle = func() {
			stop()
			cancel()
		}
	}
	<-r.turn
}

// endIdle ends a session that was not used since.
func (s *shellSessions) endIdle(r *shellRun, uses int) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.ending.Add(1)
	s.mu.Unlock()
	defer s.ending.Done()
	select {
	case r.turn <- struct{}{}:
		if !r.gone && r.uses == uses {
			s.logger.Info("ending a shell session that was idle for too long", "run", r.id, "after", s.idle)
			s.shutDown(context.Background(), r)
			s.end(r)
		}
		<-r.turn
	default: // it is in use
	}
}

// endRun ends the session of a run and removes its workspace.
func (s *shellSessions) endRun(ctx context.Context, run string) {
	s.mu.Lock()
	r := s.runs[run]
	s.mu.Unlock()
	if r == nil {
		return
	}
	r.turn <- struct{}{}
	if !r.gone {
		s.shutDown(ctx, r)
		s.end(r)
	}
	<-r.turn
}

// close ends all sessions.
func (s *shellSessions) close() error {
	s.mu.Lock()
	s.closed = true
	runs := make([]*shellRun, 0, len(s.runs))
	for _, r := range s.runs {
		runs = append(runs, r)
	}
	s.mu.Unlock()
	for _, r := range runs {
		s.ending.Go(func() {
			r.turn <- struct{}{}
			if !r.gone {
				s.end(r)
			}
			<-r.turn
		})
	}
	s.ending.Wait()
	return nil
}

// end ends the session of a run and removes its workspace. The caller holds the run's turn.
func (s *shellSessions) end(r *shellRun) {
	r.gone = true
	r.stopIdle()
	s.mu.Lock()
	delete(s.runs, r.id)
	s.mu.Unlock()
	r.drop()
	if err := r.workspace.remove(); err != nil {
		s.logger.Warn("the temporary workspace of a shell session could not be removed", "run", r.id, "error", err)
	}
}

// drop ends the session of a run and keeps the workspace. The caller holds the run's turn.
func (r *shellRun) drop() {
	if r.session != nil {
		r.session.Close()
		r.session = nil
	}
}

// start starts a session in place of the previous one.
func (s *shellSessions) start(ctx context.Context, r *shellRun) error {
	r.drop()
	if err := r.workspace.prepare(s.workspace); err != nil {
		return err
	}
	config := s.config
	config.Dir, config.Command = r.workspace.dir, slices.Clone(config.Command)
	if config.Polite {
		for i, arg := range config.Command {
			config.Command[i] = strings.ReplaceAll(arg, workspaceWord, config.Dir)
		}
	}
	session, err := shellsession.Start(ctx, config)
	if err != nil {
		return err
	}
	for _, command := range s.startup {
		if err := s.startUp(ctx, session, command); err != nil {
			session.Close()
			return err
		}
	}
	r.session = session
	s.logger.Debug("a shell session has started", "run", r.id, "workspace", config.Dir)
	return nil
}

// startUp runs a startup command.
func (s *shellSessions) startUp(ctx context.Context, session *shellsession.Session, command string) error {
	result, err := session.Run(ctx, command, s.policy.StartupTimeout.Duration())
	switch {
	case errors.Is(err, shellsession.ErrTimeout):
		return fmt.Errorf("Startup command '%s' timed out after %.1f seconds", command, s.policy.StartupTimeout) //nolint:staticcheck // as below
	case err != nil:
		return err
	case result.ExitCode == 0 && !result.Ended:
		return nil
	}
	output, _, _ := s.redact.apply(strings.TrimSpace(result.Output))
	if output != "" {
		output = ": " + output
	}
	//nolint:staticcheck // the text is LangChain's, followed by the output
	return fmt.Errorf("Startup command '%s' failed with exit code %d%s", command, result.ExitCode, output)
}

// shutDown runs the shutdown commands if a session is alive.
func (s *shellSessions) shutDown(ctx context.Context, r *shellRun) {
	for _, command := range s.shutdown {
		if r.session == nil || !r.session.Alive() {
			return
		}
		result, err := r.session.Run(ctx, command, s.policy.CommandTimeout.Duration())
		switch {
		case err != nil:
			s.logger.Warn("a shutdown command of a shell session failed", "run", r.id, "command", command, "error", err)
		case result.ExitCode != 0:
			s.logger.Warn("a shutdown command of a shell session failed", "run", r.id, "command", command, "exit_code", result.ExitCode)
		}
	}
}

// begin is the before_agent hook.
func (s *shellSessions) begin(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	r, err := s.enter(ctx, rt.RunID())
	if err != nil {
		return nil, err
	}
	defer s.leave(r)
	if r.known = true; r.session != nil {
		return nil, nil
	}
	return nil, s.start(ctx, r)
}
