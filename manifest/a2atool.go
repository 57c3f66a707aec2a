package manifest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/host/tool/a2a"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// a2aEntry is a tool that calls an agent elsewhere, by the Agent2Agent protocol.
type a2aEntry struct {
	// the address of the agent, below which its card is at /.well-known/agent-card.json, or that of the card
	URL            string            `yaml:"url" strict:"required"`
	Name           string            `yaml:"name"`                                     // the name of the tool; default: that of the card
	Description    string            `yaml:"description"`                              // the description of the tool for the model; default: that of the card
	Headers        map[string]string `yaml:"headers"`                                  // the headers of requests to the agent
	Private        []network         `yaml:"private"`                                  // the private networks that the host may be in
	Timeout        time.Duration     `yaml:"timeout" strict:"min=1ms,max=24h"`         // the time for a call
	ConnectTimeout time.Duration     `yaml:"connect_timeout" strict:"min=1ms,max=24h"` // the time for reading the card
	MaxResult      strictyaml.Size   `yaml:"max_result" strict:"min=1B,max=16MiB"`     // the size of the result that the model gets
	ReturnDirect   bool              `yaml:"return_direct"`                            // true: the run ends with the result
	Extras         toolExtras        `yaml:"extras"`                                   // keys for the definition that the provider gets, such as defer_loading
}

// UnmarshalStrict checks everything that can be checked without the agent.
func (e *a2aEntry) UnmarshalStrict(n strictyaml.Node) error {
	type fields a2aEntry
	if err := n.Decode((*fields)(e)); err != nil {
		return err
	}
	config := e.config()
	return atKey(n, config.Check())
}

func (e *a2aEntry) config() a2a.Config {
	config := a2a.Config{
		URL: e.URL, Name: e.Name, Description: e.Description, Headers: e.Headers, Timeout: e.Timeout, ConnectTimeout: e.ConnectTimeout,
		MaxResult: int(e.MaxResult), ReturnDirect: e.ReturnDirect, Extras: wire.Map(e.Extras),
	}
	for _, private := range e.Private {
		config.Private = append(config.Private, netip.Prefix(private))
	}
	return config
}

// build reads the card of the agent, and makes the tool. For an agent that is only inspected, nobody is asked, and it returns a placeholder.
func (e *a2aEntry) build(ctx context.Context, at *toolPlace) ([]host.Tool, func() error, error) {
	config := e.config()
	if at.inMemory {
		return []host.Tool{unasked(config.PlaceholderName())}, nil, nil
	}
	v := &expansion{node: at.node, lookup: at.lookup}
	for _, value := range e.Headers {
		_ = v.text(value) // it notes the values of variables
	}
	config.Secrets = v.values
	made, err := a2a.New(ctx, config)
	if err != nil {
		return nil, nil, atKey(at.node, err)
	}
	return []host.Tool{made}, made.Close, nil
}

// unasked returns a tool in place of an agent elsewhere that was not asked for its card.
func unasked(name string) host.Tool {
	spec := abi.ToolSpec{Name: name, Description: "an agent elsewhere"}
	return tool.Raw(spec, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return nil, fmt.Errorf("the tool %q cannot run: nobody is called when an agent is only inspected", name)
	})
}

// atKey adds to an error of an agent elsewhere the place of the key that it is about.
func atKey(n strictyaml.Node, err error) error {
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*a2a.ConfigError](err)
	if !ok {
		return located(n, err)
	}
	node, there := n.Get(wrong.Key)
	if !there {
		node = n
	}
	return located(node, wrong.Err)
}
