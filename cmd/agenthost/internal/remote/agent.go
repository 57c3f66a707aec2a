package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/client"
)

// Agent is an agent of a server. Its methods may be called from several goroutines at once.
type Agent struct {
	// Name is the name of the agent, or the id of one of its assistants.
	Name string

	client *client.Client

	mu      sync.Mutex
	threads map[string]string // ids by name
}

// Connect finds an agent of a server. name may be the name of an agent or the id of an assistant; without it, the server must have one agent
// only. Close the agent after use.
func Connect(ctx context.Context, config client.Config, name string) (*Agent, error) {
	c, err := client.New(config)
	if err != nil {
		return nil, &UsageError{err.Error()}
	}
	a := &Agent{client: c, threads: map[string]string{}}
	if a.Name, err = a.choose(ctx, name); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return a, nil
}

// Close closes the connections.
func (a *Agent) Close() error { return a.client.Close() }

// choose returns the agent to use.
func (a *Agent) choose(ctx context.Context, name string) (string, error) {
	assistants, err := a.client.SearchAssistants(ctx, "")
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusForbidden && name != "" {
		return name, nil // a key may run an agent without the right to list them
	}
	if err != nil {
		return "", explained(err)
	}
	var graphs []string
	for i := range assistants {
		if name != "" && (assistants[i].ID == name || assistants[i].Graph == name) {
			return name, nil
		}
		if !slices.Contains(graphs, assistants[i].Graph) {
			graphs = append(graphs, assistants[i].Graph)
		}
	}
	slices.Sort(graphs)
	switch listed := terminal.Line(strings.Join(graphs, ", ")); {
	case len(graphs) == 0:
		return "", &UsageError{"the server has no agents"}
	case name != "":
		return "", &UsageError{fmt.Sprintf("the server has no agent %q; it has: %s", terminal.Line(name), listed)}
	case len(graphs) > 1:
		return "", &UsageError{"the server has several agents; choose one with --agent: " + listed}
	}
	return graphs[0], nil
}
