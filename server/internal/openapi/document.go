package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Version is the version of OpenAPI.
const Version = "3.1.0"

// Info says what an API is.
type Info struct {
	Title       string
	Description string // in Markdown
	Version     string // of the description
}

// Document describes an API. The zero value is not usable; use [New].
type Document struct {
	info     Info
	paths    map[string]any
	webhooks map[string]any
	ids      map[string]bool
	schemas  *schemas
}

// New returns the description of an API without operations.
func New(info Info) *Document {
	return &Document{
		info: info, paths: map[string]any{}, webhooks: map[string]any{}, ids: map[string]bool{},
		schemas: newSchemas(),
	}
}

// Add adds an operation: what the server does for a method and a path, such as /threads/{thread_id}. The parameters of the path are UUIDs unless
// the operation describes them.
func (d *Document) Add(method, path string, o *Operation) error {
	if o.ID == "" || d.ids[o.ID] {
		return fmt.Errorf("openapi: %s %s: the operation %q has no name of its own", method, path, o.ID)
	}
	d.ids[o.ID] = true
	described, err := d.operation(path, o)
	if err != nil {
		return fmt.Errorf("openapi: %s %s: %w", method, path, err)
	}
	item, _ := d.paths[path].(map[string]any)
	if item == nil {
		item = map[string]any{}
		d.paths[path] = item
	}
	if item[strings.ToLower(method)] != nil {
		return fmt.Errorf("openapi: %s %s is described twice", method, path)
	}
	item[strings.ToLower(method)] = described
	return nil
}

// AddWebhook adds a request that the server sends.
func (d *Document) AddWebhook(name, summary string, body reflect.Type) error {
	schema, err := d.schemas.of(body, answers)
	if err != nil {
		return fmt.Errorf("openapi: webhook %s: %w", name, err)
	}
	d.webhooks[name] = map[string]any{"post": map[string]any{
		"summary": summary, "security": []any{},
		"requestBody": map[string]any{"required": true, "content": content(schema)},
		"responses":   map[string]any{"2XX": map[string]any{"description": "The delivery has arrived."}},
	}}
	return nil
}

// parameters matches the parameters of a path.
var parameters = lazyregexp.New(`\{([^{}]+)\}`)

func (d *Document) operation(path string, o *Operation) (map[string]any, error) {
	out := map[string]any{"operationId": o.ID, "summary": o.Summary}
	if o.Tag != "" {
		out["tags"] = []string{o.Tag}
	}
	if o.Open {
		out["security"] = []any{}
	}
	given := slices.Clone(o.Parameters)
	for _, found := range parameters().FindAllStringSubmatch(path, -1) {
		if !slices.ContainsFunc(given, func(p Parameter) bool { return p.Name == found[1] }) {
			given = append(given, Parameter{In: "path", Name: found[1], Schema: Schema{"type": "string", "format": "uuid"}})
		}
	}
	if len(given) > 0 {
		all := make([]any, len(given))
		for i := range given {
			all[i] = given[i].document()
		}
		out["parameters"] = all
	}
	if o.Body.Type != nil {
		schema, err := d.schemas.body(&o.Body)
		if err != nil {
			return nil, err
		}
		out["requestBody"] = map[string]any{"required": !o.Body.Optional, "content": content(schema)}
	}
	responses, err := d.responses(o)
	out["responses"] = responses
	return out, err
}

func (d *Document) responses(o *Operation) (map[string]any, error) {
	out := map[string]any{}
	success := map[string]any{"description": "Success"}
	status := http.StatusOK
	stream := map[string]any{"schema": Schema{"type": "string"}}
	switch {
	case o.Socket != "":
		status, success["description"] = http.StatusSwitchingProtocols, o.Socket
	case o.Stream != "" && o.Answer == nil:
		success["description"] = o.Stream
		success["content"] = map[string]any{"text/event-stream": stream}
	case o.Text != "":
		success["content"] = map[string]any{o.Text: map[string]any{"schema": Schema{"type": "string"}}}
	case o.Answer == nil:
		status = http.StatusNoContent
	default:
		schema, err := d.schemas.answer(o)
		if err != nil {
			return nil, err
		}
		forms := content(schema)
		if o.Stream != "" {
			success["description"], forms["text/event-stream"] = o.Stream, stream
		}
		success["content"] = forms
	}
	if len(o.Headers) > 0 {
		headers := map[string]any{}
		for _, name := range o.Headers {
			headers[name] = map[string]any{"schema": Schema{"type": "string"}}
		}
		success["headers"] = headers
	}
	out[strconv.Itoa(status)] = success
	for _, status := range o.Errors {
		if http.StatusText(status) == "" {
			return nil, fmt.Errorf("%d is not a status", status)
		}
		if o.Failure == nil {
			out[strconv.Itoa(status)] = map[string]any{"$ref": "#/components/responses/" + strconv.Itoa(status)}
			continue
		}
		schema, err := d.schemas.of(o.Failure, answers)
		if err != nil {
			return nil, err
		}
		out[strconv.Itoa(status)] = failure(status, schema)
	}
	return out, nil
}

func content(schema Schema) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": schema}}
}

// JSON returns the document.
func (d *Document) JSON() ([]byte, error) {
	failures := map[string]any{}
	for _, item := range d.paths {
		for _, operation := range item.(map[string]any) { //nolint:forcetypeassert // Add makes them
			for status, response := range operation.(map[string]any)["responses"].(map[string]any) { //nolint:forcetypeassert // likewise
				if n, err := strconv.Atoi(status); err == nil && response.(map[string]any)["$ref"] != nil { //nolint:forcetypeassert // likewise
					failures[status] = failure(n, Schema{"$ref": "#/components/schemas/Error"})
				}
			}
		}
	}
	components := maps.Clone(d.schemas.components)
	components["Error"] = Schema{
		"type": "object", "required": []string{"detail"}, "properties": map[string]any{"detail": Schema{"type": "string"}}, "additionalProperties": false,
	}
	return json.MarshalIndent(map[string]any{
		"openapi": Version,
		"info":    map[string]any{"title": d.info.Title, "description": d.info.Description, "version": d.info.Version},
		"paths":   d.paths, "webhooks": d.webhooks,
		"security": []any{map[string]any{"key": []string{}}, map[string]any{"bearer": []string{}}},
		"components": map[string]any{
			"schemas": components, "responses": failures,
			"securitySchemes": map[string]any{
				"key":    map[string]any{"type": "apiKey", "in": "header", "name": "x-api-key", "description": "A key of `auth.keys`."},
				"bearer": map[string]any{"type": "http", "scheme": "bearer", "description": "A key of `auth.keys`, or a token of `auth.oidc` or `auth.jwt`."},
			},
		},
	}, "", "  ")
}

// failure describes the answer to a request that fails with a status.
func failure(status int, schema Schema) map[string]any {
	out := map[string]any{"description": http.StatusText(status), "content": content(schema)}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		out["headers"] = map[string]any{"Retry-After": map[string]any{
			"description": "The time after which the client may try again, in seconds.", "schema": Schema{"type": "integer"},
		}}
	}
	return out
}
