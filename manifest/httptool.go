package manifest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/httptool"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// httpEntry is a tool that makes an HTTP request.
type httpEntry struct {
	Name        string                `yaml:"name" strict:"required"` // name of the tool
	Description string                `yaml:"description"`            // what the model is told of it
	Method      string                `yaml:"method"`                 // method of the request; default GET
	URL         string                `yaml:"url" strict:"required"`  // the address; {name} is an argument
	Headers     map[string]string     `yaml:"headers"`                // headers of the request
	Query       map[string]scalarText `yaml:"query"`                  // query of the address; {name} is an argument
	Body        any                   `yaml:"body"`                   // body of the request, as JSON; {name} is an argument
	Parameters  map[string]any        `yaml:"parameters"`             // a JSON Schema of the arguments
	// which part of the answer the model gets, a JSON pointer such as /data/items
	Result       string          `yaml:"result"`
	MaxResult    strictyaml.Size `yaml:"max_result" strict:"min=1B,max=1GiB"`   // bytes of the result
	MaxResponse  strictyaml.Size `yaml:"max_response" strict:"min=1B,max=1GiB"` // bytes of the answer
	Timeout      time.Duration   `yaml:"timeout" strict:"min=1ms,max=1h"`       // time for the request
	Idempotent   *bool           `yaml:"idempotent"`                            // the request may be repeated
	ReturnDirect bool            `yaml:"return_direct"`                         // the run ends with the result
	Allow        []string        `yaml:"allow"`                                 // hosts that redirects may lead to
	Private      []network       `yaml:"private"`                               // networks that are not public and may be asked
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

// build makes the tool. Values of variables do not show in its results, and braces in them are ordinary characters.
func (e *httpEntry) build(_ context.Context, at *toolPlace) ([]host.Tool, func() error, error) {
	v := &expansion{node: at.node, lookup: at.lookup}
	config := httptool.Config{
		Name: e.Name, Description: e.Description, Method: e.Method, URL: v.address(e.URL), Headers: map[string]string{},
		Query: map[string]string{}, Body: v.any(e.Body), Result: e.Result, MaxResult: int(e.MaxResult), MaxResponse: int(e.MaxResponse),
		Timeout: e.Timeout, Idempotent: e.Idempotent, ReturnDirect: e.ReturnDirect, Allow: e.Allow,
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

// expansion finds the values that variables in the texts of a node expansion to.
type expansion struct {
	node   strictyaml.Node
	lookup func(name string) (string, bool)
	values []string
}

var variableName = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// text returns a text in which braces of values are escaped, and keeps the values. A node shows the names of variables in place of
// their values.
func (x *expansion) text(text string) string {
	shown, ok := errors.AsType[*strictyaml.Error](x.node.Errorf("%s", text))
	if !ok {
		return text
	}
	for _, match := range variableName.FindAllStringSubmatch(shown.Problems[0].Message, -1) {
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

// address is like text, for a URL, whose scheme and host are not secret.
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
