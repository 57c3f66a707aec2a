// Command notes is an agenthost plugin with tools of its own: the model can write notes, which last as long as the run, and
// list them.
package main

import (
	"slices"
	"strconv"
	"strings"

	sdk "github.com/agenthost/agenthost/sdk/go"
)

//go:generate go run github.com/agenthost/agenthost/sdk/go/gen

// Note holds the arguments of the tool write_note.
//
//agenthost:document
type Note struct {
	Text string   `json:"text" minLength:"1" maxLength:"2000"` // what to remember
	Tags []string `json:"tags,omitempty" maxItems:"8"`         // words to find it by
	Kind Kind     `json:"kind" default:"fact"`
}

// Filter holds the arguments of the tool list_notes.
//
//agenthost:document
type Filter struct {
	Tag string `json:"tag,omitempty"` // only notes with this tag
}

// Kind is a kind of note.
type Kind string

// The kinds.
const (
	Fact Kind = "fact"
	Plan Kind = "plan"
)

// plugin has no hooks: only tools.
type plugin struct{ sdk.Tools }

func init() {
	tools := sdk.Tools{
		sdk.NewTool("write_note", "Writes a note.", writeNote),
		sdk.NewTool("list_notes", "Lists the notes.", listNotes),
	}
	sdk.Register(plugin{tools}, sdk.Description{
		Name: "notes", Version: "1.0.0", Tools: tools.Specs(),
		Capabilities: []sdk.Capability{
			{Op: sdk.OpKVPut, Reason: "to keep the notes of a conversation", Required: true},
			{Op: sdk.OpKVGet, Reason: "to show them", Required: true},
			{Op: sdk.OpKVList, Reason: "to find them", Required: true},
		},
	})
}

func main() {}

func writeNote(c *sdk.ToolCall, n *Note) (string, error) {
	value, err := n.MarshalMsg(nil)
	if err != nil {
		return "", err
	}
	key := "note/" + c.ID() // a call that is made again writes the same note again
	if _, err := c.Store(sdk.ScopeRun).Put(key, value); err != nil {
		return "", err
	}
	c.Log(sdk.LogInfo, "noted", "kind", string(n.Kind), "tags", len(n.Tags))
	return "noted", nil
}

func listNotes(c *sdk.ToolCall, f *Filter) (string, error) {
	store := c.Store(sdk.ScopeRun)
	var lines []string
	for after, more := "", true; more; {
		items, rest, err := store.List("note/", after, 0)
		if err != nil {
			return "", err
		}
		for _, item := range items {
			value, _, err := store.Get(item.Key)
			if err != nil {
				return "", err
			}
			var n Note
			if _, err := n.UnmarshalMsg(value); err != nil {
				return "", err
			}
			if f.Tag == "" || slices.Contains(n.Tags, f.Tag) {
				lines = append(lines, "- "+n.Text+" ("+string(n.Kind)+")")
			}
		}
		if more = rest; more {
			after = items[len(items)-1].Key
		}
	}
	return strconv.Itoa(len(lines)) + " notes\n" + strings.Join(lines, "\n"), nil
}
