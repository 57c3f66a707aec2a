package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The channels.
const (
	Values      = "values"      // the state, after each step that changed it
	Updates     = "updates"     // what each step changed
	Messages    = "messages"    // messages, piece by piece
	Tools       = "tools"       // when calls of tools begin and end
	Lifecycle   = "lifecycle"   // when runs, and agents that run as tools, begin and end
	Input       = "input"       // questions, and that they were answered
	Checkpoints = "checkpoints" // what is saved
	Tasks       = "tasks"       // when steps begin and end
	Custom      = "custom"      // what hooks and tools emit
)

// Channels lists all channels. A name after "custom:" is a channel, too: that of the events with this name.
func Channels() []string {
	return []string{Values, Updates, Messages, Tools, Lifecycle, Input, Checkpoints, Tasks, Custom}
}

// Filter says which frames a client wants.
type Filter struct {
	Channels   []string   `json:"channels" jsonschema:"values, updates, messages, tools, lifecycle, input, checkpoints, tasks, custom, or custom:NAME."`
	Namespaces [][]string `json:"namespaces,omitempty" jsonschema:"Only frames whose namespace begins with one of these; without one, all."`
	Depth      *int       `json:"depth,omitempty" min:"0" jsonschema:"How much longer than that the namespace may be."`
}

// What a filter may name.
const (
	maxChannels   = 100
	maxNamespaces = 1000
	maxSegments   = 100
)

// Check returns the error of a filter that cannot be used.
func (f *Filter) Check() error {
	if len(f.Channels) == 0 {
		return errors.New("channels is required and must be a non-empty array")
	}
	if len(f.Channels) > maxChannels {
		return fmt.Errorf("channels has %d entries; at most %d are possible", len(f.Channels), maxChannels)
	}
	for _, name := range f.Channels {
		custom, named := strings.CutPrefix(name, Custom+":")
		if !slices.Contains(Channels(), name) && (!named || custom == "") {
			return fmt.Errorf("channels contains unsupported entries: %.64q. Allowed: %s, or any `custom:<name>`", name, strings.Join(Channels(), ", "))
		}
	}
	if len(f.Namespaces) > maxNamespaces {
		return fmt.Errorf("namespaces has %d entries; at most %d are possible", len(f.Namespaces), maxNamespaces)
	}
	for _, prefix := range f.Namespaces {
		if len(prefix) > maxSegments {
			return fmt.Errorf("a namespace has %d segments; at most %d are possible", len(prefix), maxSegments)
		}
	}
	if f.Depth != nil && *f.Depth < 0 {
		return fmt.Errorf("depth is %d; it must be at least 0", *f.Depth)
	}
	return nil
}

// Wants reports whether the client wants a frame.
func (f *Filter) Wants(channel string, namespace []string) bool {
	return f.wantsChannel(channel) && f.wantsNamespace(namespace)
}

func (f *Filter) wantsChannel(channel string) bool {
	return slices.Contains(f.Channels, channel) || strings.HasPrefix(channel, Custom+":") && slices.Contains(f.Channels, Custom)
}

// wantsNamespace reports whether a namespace is wanted. As in the clients, the depth means nothing without namespaces.
func (f *Filter) wantsNamespace(namespace []string) bool {
	if len(f.Namespaces) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Namespaces, func(prefix []string) bool {
		return begins(namespace, prefix) && (f.Depth == nil || len(namespace)-len(prefix) <= *f.Depth)
	})
}

// begins reports whether a namespace begins with a prefix. The clients name segments with or without the id that follows the colon.
func begins(namespace, prefix []string) bool {
	if len(prefix) > len(namespace) {
		return false
	}
	for i, segment := range prefix {
		name, _, _ := strings.Cut(namespace[i], ":")
		if namespace[i] != segment && name != segment {
			return false
		}
	}
	return true
}

// Union is several filters: a frame is wanted if one of them wants it.
type Union []*Filter

// Wants reports whether one of the filters wants a frame.
func (u Union) Wants(channel string, namespace []string) bool {
	return slices.ContainsFunc(u, func(f *Filter) bool { return f.Wants(channel, namespace) })
}

// WantsChannel reports whether one of the filters wants frames of a channel, in whatever namespace.
func (u Union) WantsChannel(channel string) bool {
	return slices.ContainsFunc(u, func(f *Filter) bool { return f.wantsChannel(channel) })
}
