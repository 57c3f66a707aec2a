package cases

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/yamltext"
)

// expectation returns the lines of an expect that the outcome fulfils: the status, unless it is completed, the error, the calls of tools and
// the last answer.
func (o *Outcome) expectation(indent int) []byte {
	var out []byte
	for _, key := range []string{"status", "error", "tool_calls", "message"} {
		if value := o.actual(key); !value.IsZero() {
			out = yamltext.Append(appendKeyAt(out, key, indent), value, indent+2)
		}
	}
	if len(out) == 0 {
		return []byte(" {}")
	}
	return out
}

func appendKeyAt(dst []byte, key string, indent int) []byte {
	dst = append(dst, '\n')
	for range indent {
		dst = append(dst, ' ')
	}
	return append(yamltext.AppendKey(dst, key), ':')
}

// actual returns the value of a key of expect that fits the outcome; nil if the key is not needed.
func (o *Outcome) actual(key string) wire.Raw {
	switch key {
	case "status":
		if o.Status != host.Completed && o.Status != "" {
			return wire.String(string(o.Status))
		}
	case "error":
		if o.Status == host.Failed && o.Error != "" {
			return wire.String(o.Error)
		}
	case "tool_calls":
		var list []any
		for _, made := range o.calls() {
			list = append(list, wire.Map{ // in the order in which people read it
				{Key: "name", Value: wire.String(made.Name)}, {Key: "args", Value: made.Args},
			}.Raw())
		}
		return listOf(list)
	case "message":
		if o.Status == host.Completed {
			return wire.String(o.Answer)
		}
	}
	return nil
}
