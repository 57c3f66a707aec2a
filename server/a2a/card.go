package a2a

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
)

// onlyCard answers with the card of the server's only agent. A server with several has no card of its own, and says where theirs are.
func (h *Handler) onlyCard(c *door.Call) error {
	names := h.Service.AgentNames()
	if len(names) == 1 {
		return h.writeCard(c, names[0])
	}
	cards := make([]string, len(names))
	for i, name := range names {
		cards[i] = base(c.R, name) + CardPath
	}
	return &problem{
		kind: a2a.ErrInvalidRequest, status: http.StatusNotFound,
		text: "this server has several agents, each with a card: " + strings.Join(cards, ", "),
	}
}

// ownCard answers with the card of an agent.
func (h *Handler) ownCard(c *door.Call) error { return h.writeCard(c, c.R.PathValue("agent")) }

// writeCard answers with the card of an agent.
func (h *Handler) writeCard(c *door.Call, name string) error {
	agent, err := h.agent(name)
	if err != nil {
		return err
	}
	body, err := h.encode(c, h.card(&agent, base(c.R, name)))
	if err != nil {
		return err
	}
	header := c.W.Header()
	header.Set("Cache-Control", "private, max-age=60") // an agent's description changes with its manifest
	header.Set("Vary", "Authorization, X-Api-Key, Host, "+a2a.SvcParamVersion)
	header.Set("ETag", strconv.Quote(digest(body)))
	return c.Answer(json.RawMessage(body))
}

// encode returns a card in the version that a request asks for. A request that does not say means version 0.3; its clients get a card that those of
// both versions can read.
func (h *Handler) encode(c *door.Call, card *a2a.AgentCard) ([]byte, error) {
	version, err := versionOf(c.R)
	if err != nil {
		return nil, err
	}
	if version == present || h.older == nil {
		return json.Marshal(card)
	}
	return h.older.Card(c.R.Context(), card)
}

// base returns the address of an agent, as the client of a request reaches it.
func base(r *http.Request, agent string) string {
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") { // it only decides what this client is told
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: r.Host, Path: Path + agent}).String()
}

func (h *Handler) card(agent *runs.Agent, at string) *a2a.AgentCard {
	description := cmp.Or(agent.Description, "The agent "+agent.Name+".")
	card := &a2a.AgentCard{
		Name: agent.Name, Description: description, Version: cmp.Or(h.Version, "unknown"),
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(at, a2a.TransportProtocolJSONRPC), a2a.NewAgentInterface(at, a2a.TransportProtocolHTTPJSON),
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: h.pushes()},
		DefaultInputModes:  []string{"text/plain", "application/json", "image/*", "audio/*", "video/*", "application/*"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills:             []a2a.AgentSkill{{ID: agent.Name, Name: agent.Name, Description: description, Tags: []string{"agent"}}},
	}
	if h.older != nil {
		card.SupportedInterfaces = append(card.SupportedInterfaces, &a2a.AgentInterface{
			URL: at, ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: previous,
		})
	}
	if h.secured {
		card.SecuritySchemes = a2a.NamedSecuritySchemes{
			"bearer":  a2a.HTTPAuthSecurityScheme{Scheme: "Bearer"},
			"api_key": a2a.APIKeySecurityScheme{Location: a2a.APIKeySecuritySchemeLocationHeader, Name: "X-Api-Key"},
		}
		card.SecurityRequirements = a2a.SecurityRequirementsOptions{{"bearer": {}}, {"api_key": {}}}
	}
	return card
}
