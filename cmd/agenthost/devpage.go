//go:build !no_serve

package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/workshop"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/strictyaml"
	devpage "github.com/agenthost/agenthost/server/dev"
)

// forgetProblems forgets what the last round has found, but for broken plugins: they are not checked again until a file of theirs changes.
func (d *dev) forgetProblems() {
	for path := range d.problems {
		if p := d.plugins[path]; p == nil || !p.ill {
			delete(d.problems, path)
		}
	}
}

// changed notes that a change of an agent is in use.
func (d *dev) changed(a *devAgent, text string) {
	d.changes++
	a.change = &devpage.Change{Number: d.changes, Time: time.Now(), Text: text}
}

// publish tells the page how the round has ended.
func (d *dev) publish() {
	var problems []devpage.Problem
	for _, path := range sortedKeys(d.problems) {
		problems = append(problems, d.problems[path]...)
	}
	var agents []devpage.Agent
	var served []workshop.Agent
	for _, a := range d.agents {
		if a.served != nil {
			agents = append(agents, a.shown(d.plugins))
			served = append(served, workshop.Agent{Name: a.served.Config.Name, Manifest: a.path, Plugins: a.own})
		}
	}
	if d.workshop != nil {
		d.workshop.Serve(served)
	}
	d.board.Change(func(s *devpage.State) { *s = devpage.State{Problems: problems, Agents: agents} })
}

// shown returns the agent for the page.
func (a *devAgent) shown(plugins map[string]*devPlugin) devpage.Agent {
	out := devpage.Agent{Name: a.served.Config.Name, File: a.path}
	digests := map[string]string{}
	var other []string
	for i := range a.own {
		w := &a.own[i]
		shown := devpage.Plugin{Name: w.Name(), File: w.Path}
		was := a.digests[w.Path]
		if p := plugins[w.Path]; p != nil {
			digests[w.Path] = was
			if a.inUse[w.Path] == p.version { // otherwise the new module waits until all is well
				digests[w.Path] = p.digest
			}
			shown.Digest, shown.Cases = workshop.Short(digests[w.Path]), workshop.CaseNames(w.Path)
		}
		if was != "" && was != digests[w.Path] {
			other = append(other, w.Name())
		}
		out.Plugins = append(out.Plugins, shown)
	}
	if a.digests = digests; a.change != nil && other != nil {
		change := *a.change
		change.Plugins = other
		a.change = &change
	}
	out.Change = a.change
	return out
}

// problemsOf describes what is wrong with a file: with the places that a manifest's error has, or that a compiler or an interpreter has written.
func problemsOf(path string, err error) (out []devpage.Problem) {
	if placed, ok := errors.AsType[*strictyaml.Error](err); ok {
		for i := range placed.Problems {
			p := &placed.Problems[i]
			one := devpage.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message}
			if one.File == "" {
				one.File = path
			}
			if p.Path != "" {
				one.Message = p.Path + ": " + one.Message
			}
			for _, line := range []string{p.Source, p.Hint} {
				if line != "" {
					one.Details = append(one.Details, line)
				}
			}
			out = append(out, one)
		}
		return out
	}
	title, rest, _ := strings.Cut(errortext.Of(err), "\n")
	one := devpage.Problem{File: path, Message: strings.TrimPrefix(title, path+": ")}
	if rest != "" {
		one.Details = strings.Split(rest, "\n")
	}
	if problem, ok := errors.AsType[*problemError](err); ok {
		for _, line := range problem.lines {
			one.Details = append(one.Details, strings.Split(line, "\n")...)
		}
	}
	for _, line := range append([]string{title}, one.Details...) {
		if found := place().FindStringSubmatch(line); found != nil {
			one.File = found[1]
			one.Line, _ = strconv.Atoi(found[2]) // a huge number is not a line
			one.Column, _ = strconv.Atoi(found[3])
			break
		}
	}
	return append(out, one)
}

// place is a place in a file, as compilers write it: at the beginning of a line, or after an arrow or another word.
var place = lazyregexp.New(`(?:^|[\s(])([^\s:()]+\.[A-Za-z]+):(\d+)(?::(\d+))?(?:[:)\s]|$)`)
