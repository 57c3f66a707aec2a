package openai

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

func (h *Handler) routes() []door.Route {
	return []door.Route{
		route("GET /v1/models", "", h.listModels, api("listModels", "List the agents as models", openapi.Operation{Answer: typed[modelList]()})),
		route("GET /v1/models/{model}", "", h.readModel, api("readModel", "Read an agent as a model", openapi.Operation{Answer: typed[modelDocument]()})),
		route("POST /v1/chat/completions", auth.ScopeRuns, h.chat, api("createChatCompletion", "Ask an agent for a chat completion", openapi.Operation{
			Body: openapi.Body{Type: typed[chatCreate](), Required: []string{"model", "messages"}}, Answer: typed[completion](), Stream: chatStream,
			Headers: []string{threadHeader, runHeader}, Errors: []int{http.StatusConflict, http.StatusGatewayTimeout},
		})),
		route("POST /v1/responses", auth.ScopeRuns, h.respond, api("createResponse", "Ask an agent for a response", openapi.Operation{
			Body: openapi.Body{Type: typed[responseCreate](), Required: []string{"model"}}, Answer: typed[response](), Stream: responseStream,
			Headers: []string{threadHeader, runHeader}, Errors: []int{http.StatusConflict},
		})),
		route("GET /v1/responses/{response}", auth.ScopeRuns, h.readResponse, api("readResponse", "Read a response", openapi.Operation{
			Answer: typed[response](), Stream: responseStream, Headers: []string{threadHeader, runHeader}, Parameters: []openapi.Parameter{
				query("stream", "Whether the answer is the stream of a response that was made in the background", "boolean"),
				query("starting_after", "The sequence_number after which the stream begins", "integer"),
			},
		})),
		route("DELETE /v1/responses/{response}", auth.ScopeRuns, h.deleteResponse, api("deleteResponse", "Delete a response", openapi.Operation{
			Answer: typed[deleted](), Errors: []int{http.StatusConflict},
		})),
		route("POST /v1/responses/{response}/cancel", auth.ScopeRuns, h.cancelResponse, api("cancelResponse", "Cancel a response", openapi.Operation{
			Answer: typed[response](),
		})),
		route("GET /v1/responses/{response}/input_items", auth.ScopeRuns, h.inputItems, api("listInputItems", "List the input of a response", openapi.Operation{
			Answer: typed[itemList](), Parameters: []openapi.Parameter{
				query("limit", "How many items", "integer"), query("order", "asc or desc, the default", "string"),
				query("after", "The id of the item after which the list begins", "string"),
			},
		})),
	}
}

func route(pattern string, scope auth.Scope, serve func(*door.Call) error, api door.API) door.Route {
	return door.Route{Pattern: pattern, Scope: scope, Serve: serve, API: api}
}

func api(id, summary string, o openapi.Operation) door.API {
	o.ID, o.Summary = id, summary
	return door.API{{Operation: o}}
}

func typed[T any]() reflect.Type { return reflect.TypeFor[T]() }

func query(name, description, kind string) openapi.Parameter {
	return openapi.Parameter{In: "query", Name: name, Description: description, Schema: openapi.Schema{"type": kind}}
}

// complete adds to an operation what follows from its path.
func complete(o *openapi.Operation, _, path string) string {
	o.Tag, o.Failure = "openai", typed[openAIErrorDocument]()
	for _, name := range []string{"model", "response"} {
		if strings.Contains(path, "{"+name+"}") {
			o.Parameters = append(o.Parameters, openapi.Parameter{In: "path", Name: name, Schema: openapi.Schema{"type": "string"}})
			o.Errors = append(o.Errors, http.StatusNotFound)
		}
	}
	if strings.HasPrefix(path, "/v1/chat") || path == "/v1/responses" {
		o.Errors = append(o.Errors, http.StatusPaymentRequired, http.StatusNotFound)
	}
	return path
}
