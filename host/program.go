package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
)

// stepKind is the kind of a step of the program.
type stepKind uint8

const (
	stepHook stepKind = iota
	stepModel
	stepTools
)

// The names of the steps that are not hooks.
const (
	ModelStep = "model"
	ToolsStep = "tools"
	endStep   = -1 // the index of the end of the program
)

// step is one entry of the program, which never changes once it is compiled.
type step struct {
	kind    stepKind
	name    string
	hook    NodeHook
	policy  func(e Event) Event // see Hooks.TracePolicy
	hookOf  abi.Hook
	jumps   [3]bool // the targets that its hook declared, by targetIndex
	next    int     // the step that follows without a jump; the last step of the loop and the tools have a router instead
	router  router
	calls   *atomic.Uint64
	needs   needs
	cursors bool // its view is "new", so that it remembers what it has seen
}

// router is how a step finds the next one if that depends on the state.
type router uint8

const (
	noRouter   router = iota
	afterModel        // after the model and the after_model hooks: to the tools, to the exit, or to the model again
	afterTools        // after the tools: to the model, or to the exit
)

// program is the flat list of steps that a run walks through. It is compiled once, when the agent is built.
type program struct {
	steps     []step
	entry     int // where a run starts
	loopEntry int // where a jump to the model leads
	model     int
	tools     int             // endStep: there is no tools step
	hooks     int             // steps that are hooks
	exit      int             // where a jump to the end leads: the first after_agent hook to run, or endStep
	returns   map[string]bool // tools that return directly
	responds  bool            // there is a response format

	mustRespond bool // the model is offered only the tools of the response format

	breaks *breakpoints // of all runs; nil: none
}

// compileProgram lays out the steps as LangChain's create_agent does: before_agent hooks in the order of the list, before_model
// hooks likewise, the model, after_model hooks in reverse order, the tools, after_agent hooks in reverse order.
func compileProgram(middleware []*boundMiddleware, hasTools bool) (*program, error) {
	p := &program{tools: endStep, exit: endStep}
	var before, beforeModel, after, afterAgent []step
	for _, m := range middleware {
		before = appendHook(before, m, abi.BeforeAgent, &m.hooks.BeforeAgent)
		beforeModel = appendHook(beforeModel, m, abi.BeforeModel, &m.hooks.BeforeModel)
		after = appendHook(after, m, abi.AfterModel, &m.hooks.AfterModel)
		afterAgent = appendHook(afterAgent, m, abi.AfterAgent, &m.hooks.AfterAgent)
	}
	slices.Reverse(after)
	slices.Reverse(afterAgent)

	p.loopEntry = len(before)
	p.hooks = len(before) + len(beforeModel) + len(after) + len(afterAgent)
	p.steps = append(p.steps, before...)
	p.steps = append(p.steps, beforeModel...)
	p.model = len(p.steps)
	p.steps = append(p.steps, step{kind: stepModel, name: ModelStep})
	p.steps = append(p.steps, after...)
	loopExit := len(p.steps) - 1
	if hasTools {
		p.tools = len(p.steps)
		p.steps = append(p.steps, step{kind: stepTools, name: ToolsStep})
	}
	if len(afterAgent) > 0 {
		p.exit = len(p.steps)
		p.steps = append(p.steps, afterAgent...)
	}

	for i := range p.steps {
		p.steps[i].next = i + 1
	}
	p.steps[len(p.steps)-1].next = endStep
	p.steps[loopExit].router = afterModel
	if hasTools {
		p.steps[p.tools].router = afterTools
	}
	return p, p.checkJumps()
}

// withTools returns the program of the same middleware, with a tools step.
func (p *program) withTools(middleware []*boundMiddleware) (*program, error) {
	out, err := compileProgram(middleware, true)
	if err != nil {
		return nil, err
	}
	for i := range out.steps {
		if at := p.find(out.steps[i].name); at >= 0 {
			out.steps[i].calls = p.steps[at].calls // it goes on counting
		}
	}
	return out, nil
}

func appendHook(steps []step, m *boundMiddleware, h abi.Hook, hook *NodeHook) []step {
	if hook.Func == nil {
		return steps
	}
	s := step{
		kind: stepHook, name: m.name + "." + string(h), hook: *hook, policy: m.hooks.TracePolicy, hookOf: h, calls: new(atomic.Uint64),
		needs: needs(nil).add(hook.Pool), cursors: hook.View.IsNew(),
	}
	return append(steps, s)
}

// checkJumps refuses declared jumps that lead nowhere.
func (p *program) checkJumps() error {
	for i := range p.steps {
		s := &p.steps[i]
		for _, target := range s.hook.CanJumpTo {
			index, ok := targetIndex(target)
			if !ok {
				return &ConfigError{ConfigSubject{Kind: SubjectStep, Name: s.name}, fmt.Errorf(`CanJumpTo has %q; use "model", "tools" or "end"`, target)}
			}
			if target == abi.JumpTools && p.tools == endStep {
				return &ConfigError{ConfigSubject{Kind: SubjectStep, Name: s.name}, errors.New(`CanJumpTo has "tools", but the agent has no tools`)}
			}
			s.jumps[index] = true
		}
	}
	return nil
}

func (p *program) names() string {
	names := make([]string, len(p.steps))
	for i := range p.steps {
		names[i] = p.steps[i].name
	}
	return strings.Join(names, ", ")
}

// find returns the index of the step with this name, or -1.
func (p *program) find(name string) int {
	return slices.IndexFunc(p.steps, func(s step) bool { return s.name == name })
}

// name returns the name of a step; "" for the end.
func (p *program) name(at int) string {
	if at == endStep {
		return ""
	}
	return p.steps[at].name
}

func targetIndex(t abi.Target) (int, bool) {
	switch t {
	case abi.JumpModel:
		return 0, true
	case abi.JumpTools:
		return 1, true
	case abi.JumpEnd:
		return 2, true
	default:
		return 0, false
	}
}
