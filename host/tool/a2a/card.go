package a2a

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/publicnet"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

const (
	maxName        = 64   // of a tool
	maxDescription = 2048 // characters of the card that the model sees
)

// readCard reads the card of the agent.
func (t *Tool) readCard(ctx context.Context) (*a2a.AgentCard, error) {
	options := []agentcard.ResolveOption{agentcard.WithRequestHeader(a2a.SvcParamVersion, string(a2a.Version))}
	if strings.HasSuffix(t.config.URL, ".json") {
		options = append(options, agentcard.WithPath(""))
	}
	card, err := agentcard.NewResolver(t.network.client).Resolve(ctx, t.config.URL, options...)
	if err != nil {
		return nil, t.unread(err)
	}
	return card, nil
}

// unread says why the card cannot be read, and what the operator can do.
func (t *Tool) unread(err error) error {
	if at, parsed := url.Parse(t.config.URL); parsed == nil {
		if advice := publicnet.Unreachable(at, err); advice != "" {
			return errors.New(advice)
		}
	}
	answer, ok := errors.AsType[*agentcard.ErrStatusNotOK](err)
	if !ok {
		return err
	}
	advice := ""
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		advice = `: it wants credentials; send them, such as with headers: {Authorization: "Bearer ${NAME}"} and the name of an environment variable`
		if names := slices.Sorted(maps.Keys(t.config.Headers)); len(names) > 0 {
			advice = fmt.Sprintf(": it does not accept the credentials in headers (%s); check the values, which may have expired or allow too little",
				strings.Join(names, ", "))
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		advice = ": there is no card of an agent; correct the url, which for an agent of agenthost ends in /a2a/AGENT"
	}
	return fmt.Errorf("the server answers %d %s%s", answer.StatusCode, http.StatusText(answer.StatusCode), advice)
}

// connect chooses how to call the agent.
func (t *Tool) connect(ctx context.Context) (*a2aclient.Client, error) {
	card := *t.card
	card.SupportedInterfaces = slices.DeleteFunc(slices.Clone(card.SupportedInterfaces), func(i *a2a.AgentInterface) bool { return !t.usable(i) })
	if len(card.SupportedInterfaces) == 0 {
		return nil, fmt.Errorf("the agent %.64q cannot be called: it needs an interface of version %s, by JSON-RPC or HTTP+JSON, at the host of url",
			t.card.Name, a2a.Version)
	}
	return a2aclient.NewFromCard(ctx, &card,
		a2aclient.WithDefaultsDisabled(), a2aclient.WithJSONRPCTransport(t.network.client), a2aclient.WithRESTTransport(t.network.client))
}

// usable reports whether the tool may and can call an interface.
func (t *Tool) usable(i *a2a.AgentInterface) bool {
	if i == nil || i.ProtocolBinding != a2a.TransportProtocolJSONRPC && i.ProtocolBinding != a2a.TransportProtocolHTTPJSON {
		return false
	}
	at, err := url.Parse(i.URL)
	return err == nil && originOf(at) == t.network.origin && strings.HasPrefix(string(i.ProtocolVersion), "1.")
}

// describe makes the specification of the tool.
func (t *Tool) describe() (abi.ToolSpec, error) {
	spec := abi.ToolSpec{Name: t.config.Name, Description: t.config.Description, ReturnDirect: t.config.ReturnDirect, Extras: t.config.Extras}
	if spec.Name == "" {
		spec.Name = nameOf(t.card.Name)
	}
	if spec.Name == "" {
		return spec, wrong("name", "the card of the agent has no name; give the tool one")
	}
	if spec.Description == "" {
		spec.Description = t.description()
	}
	var err error
	spec.Parameters, err = wire.FromJSON([]byte(parameters), wire.Limits{})
	return spec, err
}

// description returns what the card says about the agent, for the model.
func (t *Tool) description() string {
	var out strings.Builder
	out.WriteString(t.card.Description)
	for _, skill := range t.card.Skills {
		if skill.Description != "" && skill.Description != t.card.Description {
			fmt.Fprintf(&out, "\n- %s: %s", skill.Name, skill.Description)
		}
	}
	return text.First(terminal.Text(t.secrets.Text(strings.TrimSpace(out.String()))), maxDescription)
}

// parameters is the schema of the arguments.
const parameters = `{"type":"object","properties":{` +
	`"message":{"type":"string","description":"what the agent is to do, with all that it needs to know for it; or the answer to what it asked"},` +
	`"task_id":{"type":"string","description":"to answer what the agent asked: the id of its task"},` +
	`"context_id":{"type":"string","description":"to go on with a conversation: its id, from an earlier result"}},` +
	`"required":["message"],"additionalProperties":false}`

// nameOf makes a name of a tool that all providers accept; "" if there is nothing to make it of.
func nameOf(name string) string {
	fit := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, name)
	if strings.Trim(fit, "_") == "" {
		return ""
	}
	return fit[:min(len(fit), maxName)]
}

// PlaceholderName returns a name for the tool of an agent that is not asked for its card.
func (c *Config) PlaceholderName() string {
	if c.Name != "" {
		return c.Name
	}
	at, err := url.Parse(c.URL)
	if err != nil {
		return "agent"
	}
	for _, part := range []string{lastOf(at.Path), at.Hostname()} {
		if name := nameOf(part); name != "" {
			return name
		}
	}
	return "agent"
}

// lastOf returns the last part of a path that names an agent.
func lastOf(path string) string {
	path = strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/.well-known/agent-card.json")
	return path[strings.LastIndexByte(path, '/')+1:]
}
