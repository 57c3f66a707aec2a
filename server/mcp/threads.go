package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// threadPrefix is what the addresses of threads begin with.
const threadPrefix = "agenthost://threads/"

func threadURI(thread string) string { return threadPrefix + thread }

const threadType = "application/json"

// addThreads offers the owner's threads as resources.
func (s *session) addThreads() {
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: threadPrefix + "{thread}", Name: "thread", MIMEType: threadType,
		Description: "The messages of a conversation with an agent, and the questions that wait for an answer.",
	}, s.readThread)
}

// threadPage is how many threads a page of a list has.
const threadPage = 100

// listThreads lists the owner's threads, those that were created last at first.
func (s *session) listThreads(ctx context.Context, req *sdk.ListResourcesRequest) (*sdk.ListResourcesResult, error) {
	offset := 0
	if req.Params != nil && req.Params.Cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		if err == nil {
			offset, err = strconv.Atoi(string(raw))
		}
		if err != nil || offset < 1 {
			return nil, refusal("the cursor is not one of this server; list from the beginning")
		}
	}
	threads, total, err := s.door.Service.FindThreads(ctx, s.owner, &runs.ThreadQuery{Page: runs.Page{Limit: threadPage, Offset: offset}})
	if err != nil {
		return nil, s.internal(err)
	}
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	for i := range threads {
		out.Resources = append(out.Resources, resourceOf(&threads[i]))
	}
	if next := offset + len(threads); len(threads) > 0 && next < total {
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(next)))
	}
	out.CacheScope = "private"
	return out, nil
}

func resourceOf(t *runs.Thread) *sdk.Resource {
	agent := agentName(t)
	about := "A thread"
	if agent != "" {
		about += " of the agent " + terminal.Line(agent)
	}
	return &sdk.Resource{
		URI: threadURI(t.ID), Name: t.ID, MIMEType: threadType, Description: fmt.Sprintf("%s, which is %s.", about, t.Status),
		Annotations: &sdk.Annotations{LastModified: t.Updated.UTC().Format(time.RFC3339)},
	}
}

func agentName(t *runs.Thread) string {
	if t.Agent != "" {
		return t.Agent
	}
	name, _ := t.Metadata["graph_id"].(string)
	return name
}

// threadDocument is the content of a thread.
type threadDocument struct {
	Thread     string            `json:"thread_id"`
	Agent      string            `json:"agent,omitempty"`
	Status     runs.ThreadStatus `json:"status"`
	Messages   []json.RawMessage `json:"messages"`
	Interrupts []runs.Interrupt  `json:"interrupts,omitempty"`
}

// readThread answers with the messages of a thread.
func (s *session) readThread(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	t, err := s.threadAt(ctx, req.Params.URI)
	if err != nil {
		return nil, err
	}
	out := threadDocument{Thread: t.ID, Agent: agentName(t), Status: t.Status, Messages: []json.RawMessage{}, Interrupts: t.Waiting}
	if out.Agent != "" {
		state, err := s.door.Service.Snapshot(ctx, t, 0)
		if err != nil {
			return nil, s.internal(err)
		}
		if state.Snapshot != nil {
			out.Messages = langchain.Messages(state.Messages.Messages())
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, s.internal(err)
	}
	return &sdk.ReadResourceResult{
		Contents:  []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: threadType, Text: string(text)}},
		Cacheable: sdk.Cacheable{CacheScope: "private"},
	}, nil
}

// threadAt returns the owner's thread with an address.
func (s *session) threadAt(ctx context.Context, uri string) (*runs.Thread, error) {
	id, ok := strings.CutPrefix(uri, threadPrefix)
	if !ok || runs.CheckID(id) != nil {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	t, err := s.door.Service.Thread(ctx, s.owner, id)
	if errors.Is(err, runs.ErrNoThread) {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, s.internal(err)
	}
	return t, nil
}

// internal returns the error that a client gets for one that is the server's, which the log has.
func (s *session) internal(err error) error {
	s.door.Logger.Error("a request over MCP failed", "error", err)
	return errors.New("internal server error")
}
