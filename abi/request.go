package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// RequestChange is the argument that wrap_model_call passes to next. It says how the new request differs from the one
// that the hook received. An absent key changes nothing.
type RequestChange struct {
	AddTools     []ToolSpec `msgpack:"add_tools,omitempty"`
	AppendSystem *Content   `msgpack:"append_system,omitempty"` // appended to the system prompt, after system
	Messages     []Message  `msgpack:"messages,omitempty"`      // appended; with overwrite, they replace all messages
	Model        string     `msgpack:"model,omitempty"`         // the name of a configured model
	Overwrite    bool       `msgpack:"overwrite,omitempty"`
	Patch        []Patch    `msgpack:"patch,omitempty"` // changed messages, by id
	Remove       []string   `msgpack:"remove,omitempty"`
	Settings     wire.Map   `msgpack:"settings,omitzero"` // merged into the settings
	System       *Content   `msgpack:"system,omitempty"`  // replaces the system prompt
	ToolChoice   *string    `msgpack:"tool_choice,omitempty"`
	Tools        NameList   `msgpack:"tools,omitzero"` // keep only these, in the request's order
}

// CallChange is the argument that wrap_tool_call passes to next. It says how the new call differs from the one that the
// hook received.
type CallChange struct {
	Args    wire.Raw `msgpack:"args,omitzero"`     // replaces all arguments
	Name    string   `msgpack:"name,omitempty"`    // the name that inner layers see; the tool that runs stays the same
	SetArgs wire.Map `msgpack:"set_args,omitzero"` // merged into the arguments, after args
	Tool    string   `msgpack:"tool,omitempty"`    // the tool to run: one that the plugin declared as dynamic
}
