package manifest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/httptool"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// httpEntry is a tool that makes an HTTP request.
type httpEntry struct {
	Name        string                `yaml:"name" strict:"required"` // the name of the tool
	Description string                `yaml:"description"`            // the description of the tool for the model
	Method      string                `yaml:"method"`                 // the method of the request; default GET
	URL         string                `yaml:"url" strict:"required"`  // the address; {name} stands for an argument
	Headers     map[string]string     `yaml:"headers"`                // the headers of the request
	Query       map[string]scalarText `yaml:"query"`                  // the query of the address; {name} stands for an argument
	Body        any                   `yaml:"body"`                   // the body of the request, as JSON; {name} stands for an argument
	Parameters  map[string]any        `yaml:"parameters"`             // a JSON Schema of the arguments
	// the part of the response that the model gets, as a JSON pointer such as /data/items; default: all of it
	Result      string          `yaml:"result"`
	MaxResult   strictyaml.Size `yaml:"max_result" strict:"min=1B,max=1GiB"`   // the size of the result that the model gets
	MaxResponse strictyaml.Size `yaml:"max_response" strict:"min=1B,max=1GiB"` // the size of the response's body
	Timeout     time.Duration   `yaml:"timeout" strict:"min=1ms,max=1h"`       // the time for the request
	// whether the request may be repeated; default: it may if the method is GET or HEAD
	Idempotent   *bool      `yaml:"idempotent"`
	ReturnDirect bool       `yaml:"return_direct"` // true: the run ends with the result
	Extras       toolExtras `yaml:"extras"`        // keys for the definition that the provider gets, such as defer_loading
	Allow        []string   `yaml:"allow"`         // the hosts that redirects may lead to
	Private      []network  `yaml:"private"`       // the private networks that hosts may be in
}

// scalarText is a text, number or boolean that is sent as a text.
type scalarText string

// UnmarshalStrict decodes any of them.
func (s *scalarText) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindString {
		return n.Decode((*string)(s))
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return err
	}
	switch value.(type) {
	case bool, int64, float64:
		*s = scalarText(fmt.Sprint(value))
		return nil
	default:
		return n.Errorf("must be a text, a number or a boolean")
	}
}

// build makes the tool. The tool's results never show the values of variables, and braces in those values are ordinary characters.
func (e *httpEntry) build(_ context.Context, at *toolPlace) ([]host.Tool, func() error, error) {
	v := &expansion{node: at.node, lookup: at.lookup}
	config := httptool.Config{
		Name: e.Name, Description: e.Description, Method: e.Method, URL: v.address(e.URL), Headers: map[string]string{},
		Query: map[string]string{}, Body: v.any(e.Body), Result: e.Result, MaxResult: int(e.MaxResult), MaxResponse: int(e.MaxResponse),
		Timeout: e.Timeout, Idempotent: e.Idempotent, ReturnDirect: e.ReturnDirect, Extras: wire.Map(e.Extras), Allow: e.Allow,
	}
	for name, value := range e.Headers {
		config.Headers[name] = v.text(value)
	}
	for name, value := range e.Query {
		config.Query[name] = v.text(string(value))
	}
	for _, private := range e.Private {
		config.Private = append(config.Private, netip.Prefix(private))
	}
	config.Secrets = v.values
	if e.Parameters != nil {
		var err error
		if config.Parameters, err = wire.Of(e.Parameters); err != nil {
			node, _ := at.node.Get("parameters")
			return nil, nil, located(node, err)
		}
	}
	made, err := httptool.New(config)
	if wrong, ok := errors.AsType[*httptool.ConfigError](err); ok {
		node, there := at.node.Get(wrong.Key)
		if !there {
			node = at.node
		}
		return nil, nil, located(node, wrong.Err)
	}
	if err != nil {
		return nil, nil, located(at.node, err)
	}
	return []host.Tool{made}, made.Close, nil
}

// expansion collects the values of the variables in the texts of a node.
type expansion struct {
	node   strictyaml.Node
	lookup func(name string) (string, bool)
	values []string
}

var variableName = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// text escapes the braces of variable values in a text, and collects the values. It finds the variables in an error of the node, which
// shows their names in place of their values.
func (x *expansion) text(text string) string {
	shown, ok := errors.AsType[*strictyaml.Error](x.node.Errorf("%s", text))
	if !ok {
		return text
	}
	for _, match := range variableName().FindAllStringSubmatch(shown.Problems[0].Message, -1) {
		value, _ := x.lookup(match[1])
		if value == "" || !strings.Contains(text, value) {
			continue
		}
		if !slices.Contains(x.values, value) {
			x.values = append(x.values, value)
		}
		text = strings.ReplaceAll(text, value, strings.NewReplacer("{", "{{", "}", "}}").Replace(value))
	}
	return text
}

// address is like text, but for a URL. It leaves the scheme and the host alone, since they are not secret.
func (x *expansion) address(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	end := strings.IndexAny(rest, "/?#")
	if !ok || end < 0 {
		return address
	}
	return scheme + "://" + rest[:end] + x.text(rest[end:])
}

// any applies text to all texts in a value.
func (x *expansion) any(value any) any {
	switch v := value.(type) {
	case string:
		return x.text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = x.any(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[key] = x.any(inner)
		}
		return out
	default:
		return value
	}
}
