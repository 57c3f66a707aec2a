package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
)

// feature is something other than a tool that a server offers, and that the model uses through a tool of this package.
type feature struct {
	name        string // of the tool, after the prefix
	key         string // of the configuration
	description string // with %s for the name of the server
	parameters  map[string]any
	offered     func(sdk.ServerCapabilities) bool
	send        send
}

// send performs a request. It takes the parameters of a tool call, and returns the result of one.
type send func(ctx context.Context, client *sdk.ClientSession, params *sdk.CallToolParams) (*sdk.CallToolResult, error)

func hasResources(c sdk.ServerCapabilities) bool { return c.Resources != nil }
func hasPrompts(c sdk.ServerCapabilities) bool   { return c.Prompts != nil }

// features lists the tools for resources and prompts.
var features = []*feature{
	{
		"list_resources", "resources", "Lists the resources of the server %s: its documents and data. Templates stand for families of resources; fill " +
			"in their {parts} to get a URI.",
		map[string]any{"type": "object", "additionalProperties": false},
		hasResources, sendListResources,
	},
	{
		"read_resource", "resources", "Reads a resource of the server %s.",
		map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"uri"},
			"properties": map[string]any{"uri": map[string]any{"type": "string", "description": "the URI of the resource, as list_resources shows it"}},
		},
		hasResources, sendReadResource,
	},
	{
		"list_prompts", "prompts", "Lists the prompts that the server %s has ready, with their arguments.",
		map[string]any{"type": "object", "additionalProperties": false},
		hasPrompts, sendListPrompts,
	},
	{
		"get_prompt", "prompts", "Gets a prompt of the server %s, filled in with arguments.",
		map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"name"},
			"properties": map[string]any{
				"name":      map[string]any{"type": "string", "description": "the name of the prompt"},
				"arguments": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}},
			},
		},
		hasPrompts, sendGetPrompt,
	},
}

// features returns the features that the configuration wants.
func (c *Config) features() []*feature {
	return slices.DeleteFunc(slices.Clone(features), func(f *feature) bool {
		return f.key == "resources" && !c.Resources || f.key == "prompts" && !c.Prompts
	})
}

// featurePrefix is the prefix of the tools for resources and prompts. They exist for each server that has some, so they bear the
// server's name if there is no prefix.
func (c *Config) featurePrefix() string {
	if c.Prefix != "" {
		return c.Prefix
	}
	name := fit(c.ServerName())
	return name[:min(len(name), maxName/2)] + "_"
}

// specOfFeature describes the tool for a feature.
func (c *Config) specOfFeature(f *feature) (abi.ToolSpec, error) {
	parameters, err := parametersOf(f.parameters)
	return abi.ToolSpec{
		Name: nameOf(c.featurePrefix(), f.name), Description: fmt.Sprintf(f.description, c.ServerName()), Parameters: parameters, Idempotent: true,
	}, err
}

// withFeatures adds the tools for resources and prompts. Neither may be missing at the server, and none of the server's own tools may have
// their name.
func (s *Server) withFeatures(tools []*tool, present *session) ([]*tool, error) {
	for _, f := range s.config.features() {
		if !f.offered(capabilities(present.client)) {
			return nil, fmt.Errorf("%s: the server has no %s; remove the key", f.key, f.key)
		}
		spec, err := s.config.specOfFeature(f)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(tools, func(t *tool) bool { return t.spec.Name == spec.Name }) {
			return nil, fmt.Errorf("%s: the server has a tool that is named %q too; exclude it, or set another prefix", f.key, spec.Name)
		}
		tools = append(tools, &tool{server: s, feature: f, spec: spec})
	}
	return tools, nil
}

// linesOf returns a list for the model: a line of JSON for each item. It is one text, so that it is cut as a whole.
func linesOf[T any](items []T, none string) (*sdk.CallToolResult, error) {
	lines := make([]string, 0, len(items))
	for _, item := range items {
		line, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		lines = append(lines, string(line))
	}
	if len(lines) == 0 {
		lines = []string{none}
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Join(lines, "\n")}}}, nil
}

// listedResource is what the model sees of a resource in a list.
type listedResource struct {
	URI         string `json:"uri,omitempty"`
	Template    string `json:"uri_template,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mime_type,omitempty"`
	Size        int64  `json:"size,omitempty"`
}

func sendListResources(ctx context.Context, client *sdk.ClientSession, _ *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	resources, err := listResources(ctx, client)
	if err != nil {
		return nil, err
	}
	templates, err := listTemplates(ctx, client)
	if said, ok := refusal(err); ok && said.Code == jsonrpc.CodeMethodNotFound { // a server need not have templates
		err = nil
	}
	if err != nil {
		return nil, err
	}
	listed := make([]listedResource, 0, len(resources)+len(templates))
	for _, r := range resources {
		listed = append(listed, listedResource{
			URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size,
		})
	}
	for _, r := range templates {
		listed = append(listed, listedResource{
			Template: r.URITemplate, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType,
		})
	}
	return linesOf(listed, "There are no resources.")
}

func sendReadResource(ctx context.Context, client *sdk.ClientSession, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	var args struct {
		URI string `json:"uri"`
	}
	if err := readArguments(params, &args); err != nil {
		return nil, err
	}
	asked := &sdk.ReadResourceParams{URI: args.URI, InputResponses: params.InputResponses, RequestState: params.RequestState}
	asked.SetProgressToken(params.GetProgressToken())
	read, err := uncached(ctx, func(ctx context.Context) (*sdk.ReadResourceResult, error) { return client.ReadResource(ctx, asked) })
	if err != nil {
		return nil, err
	}
	out := asking(read.NeedsInput(), read.InputRequests, read.RequestState)
	for _, contents := range read.Contents {
		out.Content = append(out.Content, &sdk.EmbeddedResource{Resource: contents})
	}
	if len(out.Content) == 0 && out.InputRequests == nil {
		out.Content = []sdk.Content{&sdk.TextContent{Text: "The resource is empty."}}
	}
	return out, nil
}

// asking returns a result with the questions of another kind of result.
func asking(needsInput bool, requests sdk.InputRequestMap, state string) *sdk.CallToolResult {
	if needsInput && requests == nil {
		requests = sdk.InputRequestMap{}
	}
	return &sdk.CallToolResult{InputRequests: requests, RequestState: state}
}

func sendListPrompts(ctx context.Context, client *sdk.ClientSession, _ *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	prompts, err := listPrompts(ctx, client)
	if err != nil {
		return nil, err
	}
	return linesOf(readPrompts(prompts), "There are no prompts.")
}

func sendGetPrompt(ctx context.Context, client *sdk.ClientSession, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	var args struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if err := readArguments(params, &args); err != nil {
		return nil, err
	}
	asked := &sdk.GetPromptParams{
		Name: args.Name, Arguments: args.Arguments, InputResponses: params.InputResponses, RequestState: params.RequestState,
	}
	asked.SetProgressToken(params.GetProgressToken())
	got, err := client.GetPrompt(ctx, asked)
	if err != nil {
		return nil, err
	}
	out := asking(got.NeedsInput(), got.InputRequests, got.RequestState)
	for _, m := range got.Messages {
		if m == nil {
			return nil, errNull
		}
		out.Content = append(out.Content, &sdk.TextContent{Text: "[" + string(promptRole(m.Role)) + "]"}, m.Content)
	}
	if len(out.Content) == 0 && out.InputRequests == nil {
		out.Content = []sdk.Content{&sdk.TextContent{Text: "The prompt is empty."}}
	}
	return out, nil
}

// promptRole returns the role of a message in a prompt. A server cannot write in another role than these two.
func promptRole(role sdk.Role) sdk.Role {
	if role == "assistant" {
		return role
	}
	return "user"
}

// readArguments reads the arguments of a call, which the agent has checked.
func readArguments(params *sdk.CallToolParams, into any) error {
	text, ok := params.Arguments.(json.RawMessage)
	if !ok {
		return errors.New("the arguments are not JSON")
	}
	return json.Unmarshal(text, into)
}
