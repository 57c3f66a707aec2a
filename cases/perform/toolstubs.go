package perform

import (
	"context"
	"fmt"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
)

// toolStubs is the innermost middleware of an agent in a case. It answers calls of tools that do not run.
type toolStubs struct {
	results map[string][]cases.ToolResult

	mu   sync.Mutex
	used map[string][]bool // by the names of tools
}

// Name is the name of the middleware.
func (*toolStubs) Name() string { return "case_tools" }

// Hooks returns the hook around tools.
func (s *toolStubs) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{WrapToolCall: host.WrapToolHook{Func: s.call}}, nil
}

func (s *toolStubs) call(ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
	if len(s.results[req.Call.Name]) == 0 {
		answer, err := next(ctx, req)
		return answer, nil, err
	}
	result, err := s.take(req.Call)
	if err != nil {
		return nil, nil, err
	}
	if result.Error != "" {
		answer := abi.ToolResult(req.Call, result.Error)
		answer.Status = abi.StatusError
		return &answer, nil, nil
	}
	answer := abi.ToolResult(req.Call, result.Content)
	return &answer, nil, nil
}

// take returns the result for a call: the first one that fits and is not used, or else the last one that fits.
func (s *toolStubs) take(call abi.ToolCall) (*cases.ToolResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	results := s.results[call.Name]
	if s.used == nil {
		s.used = map[string][]bool{}
	}
	if s.used[call.Name] == nil {
		s.used[call.Name] = make([]bool, len(results))
	}
	last := -1
	for i := range results {
		if !results[i].Fits(&call) {
			continue
		}
		if last = i; !s.used[call.Name][i] {
			s.used[call.Name][i] = true
			break
		}
	}
	if last < 0 {
		return nil, fmt.Errorf("the case has no result for the call %s %s; add one under tools.%s", call.Name, call.Args.JSON(), call.Name)
	}
	return &results[last], nil
}
