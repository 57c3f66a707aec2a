package runs

import (
	"github.com/google/uuid"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// Agent is an agent with the store of its threads.
type Agent struct {
	*host.Agent

	Name        string // that of its manifest; the service sets it
	Threads     checkpoint.Store
	Models      []string // the names that [Task.Model] may have
	Description string
	Context     wire.Raw // JSON Schema of what runs get as context; nil: anything
	Currency    string   // of the prices of its models; "": it has none
}

// agentSpace is the name space in which LangGraph's server makes the ids of the assistants that stand for its graphs. With the same ids, an
// application that has written one down finds the agent of the same name.
var agentSpace = uuid.MustParse("6ba7b821-9dad-11d1-80b4-00c04fd430c8")

// AssistantID returns the id of the assistant that stands for an agent itself.
func AssistantID(agent string) string { return uuid.NewSHA1(agentSpace, []byte(agent)).String() }
