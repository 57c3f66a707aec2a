package langgraph

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// assistantDocument is an assistant as clients see it.
type assistantDocument struct {
	ID          string        `json:"assistant_id" format:"uuid"`
	GraphID     string        `json:"graph_id" jsonschema:"The name of the agent."`
	Config      objectText    `json:"config"`
	Context     objectText    `json:"context"`
	Metadata    runs.Metadata `json:"metadata"`
	Name        string        `json:"name"`
	Description *string       `json:"description"`
	Version     int           `json:"version"`
	Created     *timestamp    `json:"created_at"`
	Updated     *timestamp    `json:"updated_at,omitempty" jsonschema:"Missing in a list of versions."`
}

func assistantOf(a *runs.Assistant) assistantDocument {
	return assistantDocument{
		ID: a.ID, GraphID: a.Agent, Config: orEmpty(a.Config), Context: orEmpty(a.Context), Metadata: a.Metadata, Name: a.Name,
		Description: textOrNull(a.Description), Version: a.Version, Created: timeOf(a.Created), Updated: timeOf(a.Updated),
	}
}

func assistantsOf(all []runs.Assistant) []assistantDocument {
	out := make([]assistantDocument, len(all))
	for i := range all {
		out[i] = assistantOf(&all[i])
	}
	return out
}

// paging is the part of a search that says which page is wanted.
type paging struct {
	Limit     *int     `json:"limit" min:"1" max:"1000"`
	Offset    *int     `json:"offset" min:"0"`
	SortBy    *string  `json:"sort_by"`
	SortOrder *string  `json:"sort_order" pattern:"^([aA][sS][cC]|[dD][eE][sS][cC])$" jsonschema:"asc or desc."`
	Select    []string `json:"select" jsonschema:"The members of the objects in the answer; without it, all."`
}

// page returns the page that is wanted. sorts are the names that LangGraph has for what a list can be sorted by.
func (p *paging) page(sorts map[string]runs.Sort) (runs.Page, error) {
	out := runs.Page{Limit: runs.DefaultPage}
	if p.Limit != nil {
		if out.Limit = *p.Limit; out.Limit < 1 {
			return out, unprocessable("%d is less than the minimum of 1\n\nOn instance[\"limit\"]:\n    %[1]d", out.Limit)
		}
		if out.Limit > runs.MaxPage {
			return out, unprocessable("%d is greater than the maximum of %d\n\nOn instance[\"limit\"]:\n    %[1]d", out.Limit, runs.MaxPage)
		}
	}
	if p.Offset != nil {
		if out.Offset = *p.Offset; out.Offset < 0 {
			return out, unprocessable("%d is less than the minimum of 0\n\nOn instance[\"offset\"]:\n    %[1]d", out.Offset)
		}
	}
	if p.SortBy != nil {
		sort, ok := sorts[*p.SortBy]
		if !ok {
			return out, unprocessable("%.64q is not one of the keys by which this list can be sorted\n\nOn instance[\"sort_by\"]", *p.SortBy)
		}
		out.Sort = sort
	}
	if p.SortOrder != nil {
		switch strings.ToLower(*p.SortOrder) {
		case "asc":
			out.Ascending = true
		case "desc":
		default:
			return out, unprocessable("%.64q is not one of ['asc', 'desc']\n\nOn instance[\"sort_order\"]", *p.SortOrder)
		}
	}
	return out, nil
}

type assistantSearch struct {
	paging

	GraphID  *string       `json:"graph_id"`
	Name     *string       `json:"name"`
	Metadata runs.Metadata `json:"metadata"`
}

// read reads a search, and returns what to look for.
func (s *assistantSearch) read(c *call) (*runs.AssistantQuery, error) {
	if _, err := jsonbody.DecodeOptional(c.R, s); err != nil {
		return nil, err
	}
	page, err := s.page(map[string]runs.Sort{
		"assistant_id": runs.SortID, "graph_id": runs.SortAgent, "name": runs.SortName, "created_at": runs.SortCreated, "updated_at": runs.SortUpdated,
	})
	out := &runs.AssistantQuery{Metadata: s.Metadata, Page: page}
	if s.GraphID != nil {
		out.Agent = *s.GraphID
	}
	if s.Name != nil {
		out.Name = *s.Name
	}
	return out, err
}

func (h *Handler) searchAssistants(c *call) error {
	var body assistantSearch
	q, err := body.read(c)
	if err != nil {
		return err
	}
	found, total, err := h.Service.FindAssistants(c.R.Context(), c.Owner, q)
	if err != nil {
		return err
	}
	return page(c, assistantsOf(found), body.Select, q.Offset, total)
}

func (h *Handler) countAssistants(c *call) error {
	var body assistantSearch
	q, err := body.read(c)
	if err != nil {
		return err
	}
	q.Page = runs.Page{Limit: 1}
	_, total, err := h.Service.FindAssistants(c.R.Context(), c.Owner, q)
	if err != nil {
		return err
	}
	return c.Answer(total)
}

func (h *Handler) readAssistant(c *call) error {
	id, err := c.assistant()
	if err != nil {
		return err
	}
	a, err := h.Service.Assistant(c.R.Context(), c.Owner, id)
	if err != nil {
		return err
	}
	return c.Answer(assistantOf(a))
}

// assistantChange is what a client sends to change an assistant.
type assistantChange struct {
	GraphID     *string         `json:"graph_id" jsonschema:"The name of an agent."`
	Name        *string         `json:"name"`
	Description *string         `json:"description"`
	Config      json.RawMessage `json:"config" type:"object,null"`
	Context     json.RawMessage `json:"context" type:"object,null"`
	Metadata    runs.Metadata   `json:"metadata"`
}

// assistantCreate is what a client sends to make an assistant.
type assistantCreate struct {
	assistantChange

	AssistantID *string `json:"assistant_id" format:"uuid"`
	IfExists    *string `json:"if_exists" enum:"raise,do_nothing"`
}

// apply changes an assistant as the client wants.
func (b *assistantChange) apply(a *runs.Assistant) error {
	if b.GraphID != nil {
		a.Agent = *b.GraphID
	}
	if b.Name != nil {
		a.Name = *b.Name
	}
	if b.Description != nil {
		a.Description = *b.Description
	}
	if b.Metadata != nil {
		a.Metadata = b.Metadata
	}
	if !given(b.Config) && !given(b.Context) {
		return nil
	}
	config, context, err := mergeConfig(a.Config, a.Context, b.Config, b.Context)
	a.Config, a.Context = config, context
	return err
}

func (h *Handler) createAssistant(c *call) error {
	var body assistantCreate
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	ignore, err := ifExists(body.IfExists)
	if err != nil {
		return err
	}
	if body.GraphID == nil {
		return missing("graph_id")
	}
	id, err := newID(body.AssistantID, "assistant")
	if err != nil {
		return err
	}
	a := &runs.Assistant{Owner: c.Owner, ID: id, Name: "Untitled"}
	if err := body.apply(a); err != nil {
		return err
	}
	err = h.Service.CreateAssistant(c.R.Context(), a)
	switch {
	case errors.Is(err, runs.ErrNoAgent):
		return h.noGraph(a.Agent)
	case errors.Is(err, runs.ErrExists) && !ignore:
		return detail.Errorf(http.StatusConflict, "Assistant %s already exists", id)
	case err != nil && !errors.Is(err, runs.ErrExists):
		return err
	}
	made, err := h.Service.Assistant(c.R.Context(), c.Owner, id)
	if err != nil {
		return err
	}
	return c.Answer(assistantOf(made))
}

func (h *Handler) noGraph(name string) error {
	return detail.Errorf(http.StatusNotFound, "Graph '%.64s' not found. Expected one of: ['%s']", name, strings.Join(h.Service.AgentNames(), "', '"))
}

// missing returns the error for a body that lacks a member.
func missing(name string) error {
	return unprocessable("%q is a required property\n\nFailed validating \"required\" in schema", name)
}

// ifExists reads what is to be done if something exists, and reports whether that is nothing.
func ifExists(given *string) (ignore bool, err error) {
	if given == nil {
		return false, nil
	}
	switch *given {
	case "raise":
		return false, nil
	case "do_nothing":
		return true, nil
	default:
		return false, unprocessable("%.64q is not one of ['raise', 'do_nothing']\n\nOn instance[\"if_exists\"]", *given)
	}
}

func (h *Handler) changeAssistant(c *call) error {
	id, err := c.assistant()
	if err != nil {
		return err
	}
	var body assistantChange
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	changed, err := h.Service.ChangeAssistant(c.R.Context(), c.Owner, id, body.apply)
	if errors.Is(err, runs.ErrNoAgent) && body.GraphID != nil {
		return h.noGraph(*body.GraphID)
	}
	if err != nil {
		return err
	}
	return c.Answer(assistantOf(changed))
}

// deleteAssistant removes an assistant, and with delete_threads also the threads of its runs.
func (h *Handler) deleteAssistant(c *call) error {
	id, err := c.assistant()
	if err != nil {
		return err
	}
	threads, err := c.flag("delete_threads")
	if err == nil && threads {
		err = c.Principal.Need(auth.ScopeThreads)
	}
	if err != nil {
		return err
	}
	if err := h.Service.DeleteAssistant(c.R.Context(), c.Owner, id); err != nil {
		return err
	}
	if threads {
		if err := h.deleteThreadsOf(c, runs.Metadata{"assistant_id": id}); err != nil {
			return err
		}
	}
	return c.Done()
}

type versionSearch struct {
	Limit    *int          `json:"limit" min:"1" max:"1000"`
	Offset   *int          `json:"offset" min:"0"`
	Metadata runs.Metadata `json:"metadata"`
}

func (h *Handler) assistantVersions(c *call) error {
	id, err := c.assistant()
	if err != nil {
		return err
	}
	var body versionSearch
	if _, err := jsonbody.DecodeOptional(c.R, &body); err != nil {
		return err
	}
	page, err := (&paging{Limit: body.Limit, Offset: body.Offset}).page(nil)
	if err != nil {
		return err
	}
	found, err := h.Service.Versions(c.R.Context(), c.Owner, id, body.Metadata, page.Limit, page.Offset)
	if err != nil {
		return err
	}
	list := assistantsOf(found)
	for i := range list {
		list[i].Updated = nil
	}
	return c.Answer(list)
}

type versionChoice struct {
	Version *int `json:"version"`
}

func (h *Handler) useAssistantVersion(c *call) error {
	id, err := c.assistant()
	if err != nil {
		return err
	}
	var body versionChoice
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	if body.Version == nil {
		return missing("version")
	}
	a, err := h.Service.UseVersion(c.R.Context(), c.Owner, id, *body.Version)
	if err != nil {
		return err
	}
	return c.Answer(assistantOf(a))
}
