package acp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// The modes. They are about the editor's tools only: what the manifest says about the agent's own tools always applies.
const (
	modeAsk  = "ask"
	modeRead = "read_only"
)

var allModes = []protocol.Mode{
	{ID: modeAsk, Name: "Ask", Description: "The agent asks before it writes files or runs commands in the editor, or uses the editor's MCP servers"},
	{ID: modeRead, Name: "Read only", Description: "The agent may read the editor's files, and neither write nor run anything there"},
}

// modes returns the modes of the session; nil if the agent has no tool that they are about.
func (s *session) modes() *protocol.Modes {
	if !s.agent.reviews {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &protocol.Modes{Current: s.mode, Available: allModes}
}

// The ids of the options.
const (
	optionMode  = "mode"
	optionModel = "model"
)

// ownModel is the choice for the agent's own model; further models have the key of the manifest, too.
const (
	ownModel    = "model"
	namedModels = "models."
)

// options returns the options of the session.
func (s *session) options() []protocol.Option {
	var out []protocol.Option
	if modes := s.modes(); modes != nil {
		mode := protocol.Option{Type: "select", ID: optionMode, Name: "Mode", Category: "mode", Current: modes.Current}
		for _, m := range modes.Available {
			mode.Choices = append(mode.Choices, protocol.Choice{Value: m.ID, Name: m.Name, Description: m.Description})
		}
		out = append(out, mode)
	}
	named := s.agent.config.Models
	if len(named) == 0 {
		return out
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	models := protocol.Option{Type: "select", ID: optionModel, Name: "Model", Category: "model", Current: ownModel}
	if s.model != "" {
		models.Current = namedModels + s.model
	}
	models.Choices = []protocol.Choice{{Value: ownModel, Name: modelName(s.agent.config.Model.Info())}}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		models.Choices = append(models.Choices, protocol.Choice{Value: namedModels + name, Name: name, Description: modelName(named[name].Info())})
	}
	return append(out, models)
}

// modelName returns the name of a model for people.
func modelName(info model.Info) string {
	if info.Provider == "" {
		return info.Name
	}
	return info.Provider + ":" + info.Name
}

// window returns how many tokens the session's model can read; 0: unknown. The caller holds mu, or nobody else has the session.
func (s *session) window() int {
	if s.model == "" {
		return s.agent.config.Model.Info().MaxInputTokens
	}
	return s.agent.config.Models[s.model].Info().MaxInputTokens
}

// setMode sets the mode of a session, also for the prompt in progress.
func (s *Server) setMode(params *protocol.SetModeRequest) (perform, error) {
	open, err := s.session(params.SessionID)
	if err != nil {
		return nil, err
	}
	if err := open.choose(optionMode, params.ModeID); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*rpc.Answer, error) {
		return &rpc.Answer{}, open.tell(ctx, &protocol.Update{Kind: protocol.OptionsChanged, ConfigOptions: open.options()})
	}, nil
}

// setOption sets an option of a session. A model counts from the next prompt on.
func (s *Server) setOption(params *protocol.SetOptionRequest) (perform, error) {
	open, err := s.session(params.SessionID)
	if err != nil {
		return nil, err
	}
	var value string
	if err := json.Unmarshal(params.Value, &value); err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "value: it must be a text")
	}
	if err := open.choose(params.ConfigID, value); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*rpc.Answer, error) {
		if params.ConfigID == optionMode {
			if err := open.tell(ctx, &protocol.Update{Kind: protocol.ModeChanged, CurrentModeID: value}); err != nil {
				return nil, err
			}
		}
		return &rpc.Answer{Result: protocol.SetOptionResponse{ConfigOptions: open.options()}}, nil
	}, nil
}

// choose sets an option to one of its choices.
func (s *session) choose(id, value string) error {
	all := s.options()
	at := slices.IndexFunc(all, func(o protocol.Option) bool { return o.ID == id })
	if at < 0 {
		return rpc.Errorf(rpc.CodeInvalidParams, "the session has no option %q", terminal.Line(id))
	}
	if !slices.ContainsFunc(all[at].Choices, func(c protocol.Choice) bool { return c.Value == value }) {
		return rpc.Errorf(rpc.CodeInvalidParams, "the option %s has no choice %q", id, terminal.Line(value))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == optionMode {
		s.mode = value
		return nil
	}
	s.model = strings.TrimPrefix(value, namedModels)
	if value == ownModel {
		s.model = ""
	}
	s.updates.Window = s.window()
	return nil
}
