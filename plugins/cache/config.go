package main

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

//go:generate go run github.com/agenthost/agenthost/sdk/go/gen

// config is the configuration.
//
//agenthost:document
type config struct {
	// keep replies of the model
	Model bool `default:"true"`
	// how long a reply of the model is good, such as 90s, 10m or 1h30m
	ModelTTL string `default:"1h"`
	// who finds the replies of the model: the run, the thread, or everybody who uses the agent
	ModelScope string `default:"thread" enum:"run,thread,plugin"`
	// names of the tools whose results are kept: only those that change nothing, and answer equal calls equally
	Tools []string `default:"" maxItems:"256"`
	// how long a result of a tool is good
	ToolTTL string `default:"10m"`
	// who finds the results of tools
	ToolScope string `default:"thread" enum:"run,thread,plugin"`
	// how large an entry may be, such as 64KiB; at most 1000KiB
	MaxEntry string `default:"64KiB"`
	// any text; another one makes all entries unfindable, as after a change of a tool's description, which requests do not show
	Version string `default:""`
}

// policy says how entries of one kind are kept.
type policy struct {
	kind    string // "model" or "tool"
	scope   abi.Scope
	ttl     uint64 // nanoseconds
	most    uint64 // bytes of an entry
	version string
}

// maxEntry is the largest entry that can be kept: a value of the store is at most 1 MiB, and so is what a plugin writes.
const maxEntry = 1000 << 10

// policies are those of the model's replies and of the tools' results.
func (c *config) policies() (model, tool policy, err error) {
	most, ok := amount(c.MaxEntry, sizes)
	if !ok || most > maxEntry {
		return model, tool, invalid("max_entry", c.MaxEntry, "a size above 0 and up to 1000KiB, such as 64KiB")
	}
	model = policy{kind: "model", scope: abi.Scope(c.ModelScope), most: most, version: c.Version}
	if model.ttl, ok = amount(c.ModelTTL, durations); !ok {
		return model, tool, invalid("model_ttl", c.ModelTTL, durationHint)
	}
	tool = policy{kind: "tool", scope: abi.Scope(c.ToolScope), most: most, version: c.Version}
	if tool.ttl, ok = amount(c.ToolTTL, durations); !ok {
		return model, tool, invalid("tool_ttl", c.ToolTTL, durationHint)
	}
	return model, tool, nil
}

const durationHint = "a duration above 0, of whole numbers with the units d, h, m, s or ms, such as 90s or 1h30m"

func invalid(key, text, expected string) error {
	return &sdk.Error{Type: "config", Message: key + ` is "` + text + `"; it must be ` + expected}
}

// unit is a unit of sizes or durations, in bytes or nanoseconds.
type unit struct {
	name   string
	factor uint64
}

// A unit that begins as another one stands before it.
var (
	sizes     = []unit{{"KiB", 1 << 10}, {"kB", 1e3}, {"MB", 1e6}, {"B", 1}}
	durations = []unit{{"ms", 1e6}, {"s", 1e9}, {"m", 60 * 1e9}, {"h", 3600 * 1e9}, {"d", 24 * 3600 * 1e9}}
)

// amount reads whole numbers with units, such as 1h30m, and returns their sum; false if that is 0, or nothing of the kind.
// Packages time and strconv would do so too, and with what their errors bring along add 15 KB to the plugin.
func amount(text string, units []unit) (sum uint64, ok bool) {
	const most = 1 << 62 // more than a century of nanoseconds
	for text != "" {
		number, digits := uint64(0), 0
		for digits < len(text) && digits < 18 && text[digits] >= '0' && text[digits] <= '9' {
			number = number*10 + uint64(text[digits]-'0')
			digits++
		}
		rest, factor := cutUnit(text[digits:], units)
		if digits == 0 || factor == 0 || number > most/factor {
			return 0, false
		}
		sum, text = sum+number*factor, rest
		if sum > most {
			return 0, false
		}
	}
	return sum, sum > 0
}

// cutUnit returns the factor of the unit at the beginning of a text, 0 if there is none, and what is behind it.
func cutUnit(text string, units []unit) (rest string, factor uint64) {
	for _, u := range units {
		if rest, ok := strings.CutPrefix(text, u.name); ok {
			return rest, u.factor
		}
	}
	return text, 0
}
