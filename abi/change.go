package abi

import "github.com/agenthost/agenthost/abi/wire"

// The methods of RequestChange and CallChange set keys in place and return the change, so that they can be chained:
//
//	change := new(abi.RequestChange).WithModel("small").WithAppendedSystem("Be brief.")

// WithModel sends the request to the configured model of this name.
func (r *RequestChange) WithModel(name string) *RequestChange {
	r.Model = name
	return r
}

// WithSystem replaces the system prompt.
func (r *RequestChange) WithSystem(text string) *RequestChange {
	content := Text(text)
	r.System = &content
	return r
}

// WithAppendedSystem appends to the system prompt, after any text that was appended before.
func (r *RequestChange) WithAppendedSystem(text string) *RequestChange {
	content := Text(text)
	if r.AppendSystem != nil {
		content = r.AppendSystem.Append(content)
	}
	r.AppendSystem = &content
	return r
}

// WithMessages appends messages to the request.
func (r *RequestChange) WithMessages(messages ...Message) *RequestChange {
	r.Messages = append(r.Messages, messages...)
	return r
}

// WithOnlyMessages replaces all messages of the request.
func (r *RequestChange) WithOnlyMessages(messages ...Message) *RequestChange {
	r.Messages, r.Overwrite = messages, true
	return r
}

// WithPatch changes messages of the request.
func (r *RequestChange) WithPatch(patches ...Patch) *RequestChange {
	r.Patch = append(r.Patch, patches...)
	return r
}

// WithoutMessages removes the messages with these ids from the request.
func (r *RequestChange) WithoutMessages(ids ...string) *RequestChange {
	r.Remove = append(r.Remove, ids...)
	return r
}

// WithOnlyTools keeps only these tools of the request. Without a name, the request offers no tools.
func (r *RequestChange) WithOnlyTools(names ...string) *RequestChange {
	r.Tools = append(NameList{}, names...)
	return r
}

// WithTools offers more tools.
func (r *RequestChange) WithTools(specs ...ToolSpec) *RequestChange {
	r.AddTools = append(r.AddTools, specs...)
	return r
}

// WithToolChoice sets "auto", "none", "any" or the name of a tool that the model must call.
func (r *RequestChange) WithToolChoice(choice string) *RequestChange {
	r.ToolChoice = &choice
	return r
}

// WithSetting sets a setting for the provider.
func (r *RequestChange) WithSetting(key string, value wire.Raw) *RequestChange {
	r.Settings.Set(key, value)
	return r
}

// WithArgs replaces all arguments.
func (c *CallChange) WithArgs(args wire.Map) *CallChange {
	c.Args = args.Raw()
	return c
}

// WithArg sets one argument.
func (c *CallChange) WithArg(key string, value wire.Raw) *CallChange {
	c.SetArgs.Set(key, value)
	return c
}

// WithTool runs another tool instead, one that the plugin declared as dynamic.
func (c *CallChange) WithTool(name string) *CallChange {
	c.Tool = name
	return c
}

// WithName sets the name of the call as inner layers see it; the tool that runs stays the same.
func (c *CallChange) WithName(name string) *CallChange {
	c.Name = name
	return c
}
