package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// MaxSubagentDepth is how deeply subagents may be nested.
const MaxSubagentDepth = 8

// maxSubagentName is the length of the longest name, in bytes. The name is part of the names of threads.
const maxSubagentName = 100

// depthKey is the context key of the depth at which an agent is built.
type depthKey struct{}

// deeper returns a context for agents that are built inside of the one that is built in ctx.
func deeper(ctx context.Context) (context.Context, error) {
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth == MaxSubagentDepth {
		return ctx, fmt.Errorf("subagents are nested more than %d deep; remove a level", MaxSubagentDepth)
	}
	return context.WithValue(ctx, depthKey{}, depth+1), nil
}

// check returns the first mistake of a subagent, and its key.
func (s *Subagent) check(taken map[string]bool) (key string, err error) {
	switch {
	case s.Name == "":
		return "name", errors.New("is missing; the model calls the subagent by it")
	case len(s.Name) > maxSubagentName || !utf8.ValidString(s.Name) || strings.ContainsFunc(s.Name, unicode.IsControl):
		return "name", fmt.Errorf("must have at most %d bytes of UTF-8, without control characters", maxSubagentName)
	case taken[s.Name]:
		return "name", fmt.Errorf("there are two subagents %q; give each a name of its own", s.Name)
	case strings.TrimSpace(s.Description) == "":
		return "description", errors.New("is missing; the model chooses by it")
	case s.Mode != "" && s.Mode != "isolated" && s.Mode != modeFork:
		return "mode", fmt.Errorf("is %q; use isolated or fork", s.Mode)
	case s.forks() && len(s.Skills) > 0:
		return "skills", errors.New("a fork has the skills of the agent; leave them out")
	case s.forks() && slices.ContainsFunc(s.Middleware, delegates):
		return "middleware", errors.New("a fork cannot delegate; leave subagents out")
	case s.ToolEntries.Given() && s.Tools == nil:
		return "tools", errDeferred("tools", "Tools")
	case s.MiddlewareEntries.Given() && s.Middleware == nil:
		return "middleware", errDeferred("middleware", "Middleware")
	case s.ResponseFormatEntry.Given() && s.ResponseFormat == nil:
		return "response_format", errDeferred("response_format", "ResponseFormat")
	case s.File != "" && s.Agent == nil:
		return "file", errors.New("only a manifest can name a file; in Go, use Agent")
	case s.Agent != nil:
		return s.checkReady()
	}
	return "", nil
}

// delegates reports whether a middleware is a [Subagents].
func delegates(m host.Middleware) bool {
	return m != nil && host.Unwrapped(m).Name() == subagentsEntry.Name
}

// checkReady refuses keys that do not apply to an existing agent.
func (s *Subagent) checkReady() (key string, err error) {
	for _, given := range []struct {
		key string
		is  bool
	}{
		{"system_prompt", s.SystemPrompt != ""},
		{"model", s.Model != ""},
		{"tools", s.Tools != nil},
		{"middleware", s.Middleware != nil},
		{"interrupt_on", s.InterruptOn != nil},
		{"response_format", s.ResponseFormat != nil},
		{"skills", s.Skills != nil},
		{"permissions", s.Permissions != nil},
	} {
		if given.is {
			return given.key, errors.New("does not apply to an existing agent, which has its own; leave it out")
		}
	}
	return "", nil
}

// subagent is a built [Subagent].
type subagent struct {
	name, description string
	agent             *host.Agent
	own               bool // built here, and closed here
	forks             bool // it begins with the conversation
}

// crew are the subagents of an agent.
type crew struct {
	agents     []subagent
	idempotent bool // all of them continue after a crash
	threads    threadNotes
	warn       func(text string, args ...any)
}

// makeCrew builds the subagents. After an error it closes those that were built. Forks have standIn in place of subagents.
func makeCrew(ctx context.Context, env *host.Env, specs []subagentSpec, standIn refusingTask) (c *crew, err error) {
	c = &crew{idempotent: true, warn: env.Logger.Warn}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	for i := range specs {
		spec := &specs[i]
		made := subagent{name: spec.Name, description: spec.Description, agent: spec.Agent, forks: spec.forks()}
		if made.agent == nil {
			if made.agent, err = spec.make(ctx, env, standIn); err != nil {
				return c, err
			}
			made.own = true
		}
		c.idempotent = c.idempotent && tool.KeepsThreads(made.agent)
		c.agents = append(c.agents, made)
	}
	return c, nil
}

// make builds the subagent.
func (s *subagentSpec) make(ctx context.Context, env *host.Env, standIn refusingTask) (*host.Agent, error) {
	config := env.Inner(s.Name)
	config.SystemPrompt, config.ResponseFormat = abi.Text(s.SystemPrompt), s.ResponseFormat
	middleware := s.Middleware
	if s.forks() {
		config.SystemPrompt = appendSystem(env.SystemPrompt, s.SystemPrompt)
		middleware = forkedMiddleware(env.Middleware, s.Middleware, standIn)
	}
	middleware, err := s.filesAndSkills(env, middleware)
	if err != nil {
		return nil, err
	}
	if err := checkForkedEditors(middleware); err != nil {
		return nil, &SubagentError{s.index, "", err}
	}
	if config.Tools = s.Tools; s.Tools == nil {
		config.Tools = withoutSkillTools(env.Tools, env.Middleware, middleware)
	}
	if s.Model != "" {
		m, err := modelOf(env, strconv.Quote(s.Name), s.Model)
		if err != nil {
			return nil, &SubagentError{s.index, "model", err}
		}
		config.Model = m
	}
	config.Middleware = slices.Concat(middleware, s.reviews(env))
	agent, err := host.NewContext(ctx, config)
	if err != nil {
		return nil, &SubagentError{s.index, "", err}
	}
	return agent, nil
}

// reviews returns the middleware that asks a person about the subagent's calls, besides its own middleware.
func (s *subagentSpec) reviews(env *host.Env) []host.Middleware {
	switch {
	case len(s.InterruptOn) > 0:
		return []host.Middleware{HumanInTheLoop{InterruptOn: s.InterruptOn}}
	case s.InterruptOn != nil || slices.ContainsFunc(s.Middleware, isReview):
		return nil
	}
	var inherited []host.Middleware
	for _, m := range env.Middleware {
		if review, ok := reviewOf(m); ok {
			review.inherited = true
			inherited = append(inherited, review)
		}
	}
	return inherited
}

func isReview(m host.Middleware) bool {
	_, ok := reviewOf(m)
	return ok
}

// reviewOf returns the configuration of a review.
func reviewOf(m host.Middleware) (HumanInTheLoop, bool) {
	if m == nil {
		return HumanInTheLoop{}, false
	}
	switch review := host.Unwrapped(m).(type) {
	case HumanInTheLoop:
		return review, true
	case *HumanInTheLoop:
		return *review, true
	default:
		return HumanInTheLoop{}, false
	}
}

// listSubagents returns the description of the subagents for the model.
func listSubagents(specs []subagentSpec) string {
	lines := make([]string, len(specs))
	for i := range specs {
		lines[i] = "- " + specs[i].Name + ": " + specs[i].Description
		if specs[i].forks() {
			lines[i] += continueNote
		}
	}
	return strings.Join(lines, "\n")
}

// capabilities returns the capabilities of the subagents' middleware.
func (c *crew) capabilities() []host.Capability {
	var all []host.Capability
	for i := range c.agents {
		if !c.agents[i].own {
			continue
		}
		for _, asked := range c.agents[i].agent.Capabilities() {
			asked.Middleware = c.agents[i].name + "." + asked.Middleware
			all = append(all, asked)
		}
	}
	return all
}

// close closes the subagents that were built here, the last one first.
func (c *crew) close() error {
	var errs []error
	for i := range slices.Backward(c.agents) {
		if !c.agents[i].own {
			continue
		}
		if err := c.agents[i].agent.Close(); err != nil {
			errs = append(errs, fmt.Errorf("subagent %q: %w", c.agents[i].name, err))
		}
	}
	return errors.Join(errs...)
}
