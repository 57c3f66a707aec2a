package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// AnthropicPromptCaching makes Anthropic's models cache the prompt, so that the part of a conversation that was sent before
// costs less and is read faster. It sets cache_control in the settings of each model call. The provider's adapter then marks
// the last block of the system prompt, the last tool and the last block of the conversation.
//
// It acts on models that accept such marks: models of the provider anthropic, except old ones that are known not to, and other
// models that say they can cache. It looks at the model of each request, so put it inside a model_fallback. Otherwise its
// position does not matter, because the marks are made when the request is sent. Middleware that changes earlier parts of the
// prompt, for example by selecting other tools for each call, makes the cache useless.
//
// Behaviour and texts are those of LangChain 1.5.0's AnthropicPromptCachingMiddleware, except that a warning is logged once
// in a run.
type AnthropicPromptCaching struct {
	// Type is the type of cache. The only type is "ephemeral" (or "").
	Type string `yaml:"type" schema:"default=ephemeral,enum=ephemeral"`
	// TTL is how long an unused entry stays in the cache: "5m" (or ""), or "1h", for which writing costs more.
	TTL string `yaml:"ttl" schema:"default=5m,enum=5m|1h"`
	// MinMessagesToCache is the smallest number of messages with which a request is cached; the system prompt counts as one. 0:
	// every request is cached.
	MinMessagesToCache int `yaml:"min_messages_to_cache" schema:"default=0,min=0"`
	// UnsupportedModelBehavior is what happens if a model does not accept marks: "warn" (or ""), "ignore", or "raise", which
	// fails the call.
	UnsupportedModelBehavior string `yaml:"unsupported_model_behavior" schema:"default=warn,enum=warn|ignore|raise"`
}

var anthropicPromptCachingEntry = Entry{
	Name:    "anthropic_prompt_caching",
	Summary: "lets Anthropic's models cache the prompt",
	Example: `- anthropic_prompt_caching:
    ttl: 1h
    min_messages_to_cache: 4
    unsupported_model_behavior: ignore
`,
	New: func() host.Middleware { return &AnthropicPromptCaching{} },
}

// The behaviors for models that accept no marks.
const (
	unsupportedWarn   = "warn"
	unsupportedIgnore = "ignore"
	unsupportedRaise  = "raise"
)

// Name returns "anthropic_prompt_caching".
func (c AnthropicPromptCaching) Name() string { return "anthropic_prompt_caching" }

// Hooks checks the configuration.
func (c AnthropicPromptCaching) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	kind, ttl := cmp.Or(c.Type, "ephemeral"), cmp.Or(c.TTL, "5m")
	behavior := cmp.Or(c.UnsupportedModelBehavior, unsupportedWarn)
	switch {
	case kind != "ephemeral":
		return nil, fmt.Errorf("type is %q; the only one is ephemeral", c.Type)
	case ttl != "5m" && ttl != "1h":
		return nil, fmt.Errorf("ttl is %q; use 5m or 1h", c.TTL)
	case c.MinMessagesToCache < 0:
		return nil, errors.New("min_messages_to_cache must be >= 0")
	case behavior != unsupportedWarn && behavior != unsupportedIgnore && behavior != unsupportedRaise:
		return nil, fmt.Errorf("unsupported_model_behavior is %q; use warn, ignore or raise", c.UnsupportedModelBehavior)
	}
	mark := wire.Map{{Key: "ttl", Value: wire.String(ttl)}, {Key: "type", Value: wire.String(kind)}}
	p := &promptCaching{
		own: env.Model, settings: wire.Map{{Key: cacheMark, Value: mark.Raw()}}, least: c.MinMessagesToCache, behavior: behavior, warned: map[string]bool{},
	}
	return &host.Hooks{
		WrapModelCall: host.WrapModelHook{Func: p.wrap, PassesTokens: true},
		End:           p.end,
		Order: []host.Order{{
			Inside: modelFallbackEntry.Name, Reason: "outside of it, it looks only at the first model, and the others are not cached",
		}},
	}, nil
}

// promptCaching is an [AnthropicPromptCaching] in its agent.
type promptCaching struct {
	own      model.Model // the agent's model
	settings wire.Map
	least    int // the smallest number of messages
	behavior string

	mu     sync.Mutex
	warned map[string]bool // runs with a warning
}

func (p *promptCaching) wrap(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	asked := req.Model
	if asked == nil {
		asked = p.own
	}
	info := asked.Info()
	if !takesCacheMarks(info) {
		text := "AnthropicPromptCachingMiddleware caching middleware only supports Anthropic models, not instances of " + nameOf(info)
		switch {
		case p.behavior == unsupportedRaise:
			return nil, nil, errors.New(text)
		case p.behavior == unsupportedWarn && p.first(rt.RunID()):
			rt.Warn(text)
		}
	} else if counted(req) >= p.least {
		req = req.WithSettings(p.settings)
	}
	resp, err := next(ctx, req)
	return resp, nil, err
}

// nameOf returns the name of a model with its provider.
func nameOf(info model.Info) string {
	if info.Provider == "" {
		return info.Name
	}
	return info.Provider + ":" + info.Name
}

// counted returns the number of messages of a request.
func counted(req *model.Request) int {
	n := req.Messages.Len()
	if !req.System.IsZero() {
		n++
	}
	return n
}

// mostWarned is the number of runs that are remembered. A run that waits for an answer, which may never come, has not
// ended.
const mostWarned = 1 << 12

// first reports whether this is the first warning of a run.
func (p *promptCaching) first(run string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warned[run] {
		return false
	}
	if len(p.warned) >= mostWarned {
		clear(p.warned)
	}
	p.warned[run] = true
	return true
}

func (p *promptCaching) end(_ context.Context, run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.warned, run)
}

// outsideOfCaching orders middleware that changes the conversation.
var outsideOfCaching = host.Order{
	Outside: "anthropic_prompt_caching",
	Reason:  "middleware that changes the conversation invalidates the cache, so it belongs outside of the marking, as in deepagents",
}
