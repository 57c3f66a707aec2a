package mcp

import (
	"encoding/json"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// agentTool is an agent as a tool.
type agentTool struct {
	name  string // of the tool
	agent string
}

// answerTool is the name of the tool that answers the questions of a run.
const answerTool = "answer_questions"

// agentTools returns the tools of the agents. Two agents whose names become the same get numbers.
func (d *Door) agentTools() []agentTool {
	taken := map[string]bool{answerTool: true}
	agents := d.Service.AgentNames()
	out := make([]agentTool, len(agents))
	for i, agent := range agents {
		base := toolName(agent)
		name := base
		for n := 2; taken[name]; n++ {
			number := "_" + strconv.Itoa(n)
			name = base[:min(len(base), maxName-len(number))] + number
		}
		taken[name] = true
		out[i] = agentTool{name, agent}
	}
	return out
}

// addTools offers the agents, and the tool that answers their questions.
func (s *session) addTools() {
	for _, t := range s.door.tools {
		s.server.AddTool(&sdk.Tool{Name: t.name, Description: s.door.descriptionOf(t.agent), InputSchema: promptSchema}, s.handle(promptOf(t.agent)))
	}
	s.server.AddTool(&sdk.Tool{Name: answerTool, Description: answerDescription, InputSchema: answerSchema}, s.handle(answersOf))
}

func (d *Door) descriptionOf(agent string) string {
	if a, err := d.Service.Agent(agent); err == nil && a.Description != "" {
		return a.Description
	}
	return runsAgent(agent)
}

// runsAgent describes the tool of an agent without a description.
func runsAgent(name string) string {
	return "Runs the agent " + name + " with a prompt, and returns its answer."
}

// promptSchema is the schema of the arguments of a tool that runs an agent.
var promptSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"prompt":{"type":"string","description":"what the agent is to do"},` +
	`"thread":{"type":"string","description":"the name of a conversation that is begun, or goes on; without one nothing is remembered"}},` +
	`"required":["prompt"],"additionalProperties":false}`)

const answerDescription = "Answers the questions that an agent asked a person, so that its run goes on. Ask the user for each answer, and never decide " +
	"yourself. Without answers, the questions are asked again."

// answerSchema is the schema of the arguments of the tool that answers.
var answerSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"thread":{"type":"string","description":"the conversation in which the agent asks"},` +
	`"answers":{"type":"array","items":{"type":"object","properties":{` +
	`"id":{"type":"string","description":"the id of the tool call or of the question"},` +
	`"decision":{"enum":["approve","edit","reject","respond","retry","skip"],"description":"about a tool call: one of those that the question allows"},` +
	`"message":{"type":"string","description":"of reject and skip: why; of respond: the result in place of the call's"},` +
	`"arguments":{"type":"object","description":"of edit: the arguments to run the call with"},` +
	`"value":{"description":"the answer to a question that is not about a tool call"}},` +
	`"required":["id"],"additionalProperties":false}}},` +
	`"required":["thread"],"additionalProperties":false}`)
