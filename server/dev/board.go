package dev

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/agenthost/agenthost/server/internal/sse"
)

// State is what `agenthost dev` is doing.
type State struct {
	Building string    `json:"building"` // the plugin that is being built; "": none
	Problems []Problem `json:"problems"` // what is wrong at the moment; none: all is well
	Agents   []Agent   `json:"agents"`
}

// Problem is something that is wrong with a file.
type Problem struct {
	File    string   `json:"file"`
	Line    int      `json:"line"`    // from 1; 0: it is not known
	Column  int      `json:"column"`  // from 1; 0: it is not known
	Message string   `json:"message"` // in one line
	Details []string `json:"details"` // further lines, such as those of a compiler
}

// Agent is an agent that is served.
type Agent struct {
	Name    string   `json:"name"`
	File    string   `json:"file"` // its manifest
	Plugins []Plugin `json:"plugins"`
	Change  *Change  `json:"change"` // the last one that is in use; null: there was none
}

// Change is a change of an agent. Runs that began earlier keep what they began with.
type Change struct {
	Number  int       `json:"number"` // counts the changes of all agents, from 1
	Time    time.Time `json:"time"`
	Text    string    `json:"text"`
	Plugins []string  `json:"plugins"` // the names of plugins whose module is another one
}

// Plugin is a plugin of an agent.
type Plugin struct {
	Name   string   `json:"name"`
	File   string   `json:"file"`
	Digest string   `json:"digest"` // as in events; "": it is not known
	Cases  []string `json:"cases"`  // the names of its golden cases
}

// Board has the present state, and tells those who watch it of each change. Several goroutines may use it. The zero value is an empty board.
type Board struct {
	mu      sync.Mutex
	state   State
	watches map[chan struct{}]bool
}

// Change changes the state. The function must not keep it, and must replace its lists rather than change them in place.
func (b *Board) Change(change func(*State)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.state)
	for watch := range b.watches {
		select {
		case watch <- struct{}{}:
		default: // it has not yet looked at the one before
		}
	}
}

// State returns the present state.
func (b *Board) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// watch returns a channel that has a value after a change, until end is called.
func (b *Board) watch() (news <-chan struct{}, end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	watch := make(chan struct{}, 1)
	if b.watches == nil {
		b.watches = map[chan struct{}]bool{}
	}
	b.watches[watch] = true
	return watch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watches, watch)
	}
}

// source returns the events of a stream: the present state, and then each one that follows.
func (b *Board) source(news <-chan struct{}) sse.Source {
	return func(context.Context) ([]sse.Event, <-chan struct{}, error) {
		data, err := json.Marshal(b.State().whole())
		return []sse.Event{{Name: stateFrame, Data: data}}, news, err
	}
}

// stateFrame is the name of the events of a stream.
const stateFrame = "state"

// whole returns the state with empty lists in place of null.
func (s State) whole() State {
	s.Problems = orEmpty(slices.Clone(s.Problems))
	for i := range s.Problems {
		s.Problems[i].Details = orEmpty(s.Problems[i].Details)
	}
	s.Agents = orEmpty(slices.Clone(s.Agents))
	for i := range s.Agents {
		plugins := orEmpty(slices.Clone(s.Agents[i].Plugins))
		for n := range plugins {
			plugins[n].Cases = orEmpty(plugins[n].Cases)
		}
		s.Agents[i].Plugins = plugins
		if c := s.Agents[i].Change; c != nil {
			with := *c
			with.Plugins = orEmpty(with.Plugins)
			s.Agents[i].Change = &with
		}
	}
	return s
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
