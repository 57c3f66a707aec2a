package sdk

import "github.com/agenthost/agenthost/abi"

// Names of the ABI that hooks need, so that most plugins import nothing else.

// Makers of messages.
var (
	Human       = abi.Human       // a message from the user
	AI          = abi.AI          // a message from the model, with the tool calls that it asks for
	System      = abi.System      // a system message
	ToolResult  = abi.ToolResult  // the successful answer to a tool call
	ToolFailure = abi.ToolFailure // the answer to a tool call that failed or did not run
)

// The roles of messages.
const (
	RoleHuman  = abi.RoleHuman
	RoleAI     = abi.RoleAI
	RoleTool   = abi.RoleTool
	RoleSystem = abi.RoleSystem
)

// The places to which a node hook may send the run, see Update.JumpTo. The hook lists them in CanJumpTo.
const (
	JumpModel = abi.JumpModel // the first before_model hook, or the model
	JumpTools = abi.JumpTools // the unanswered tool calls of the last AI message
	JumpEnd   = abi.JumpEnd   // the first after_agent hook to run, or the end
)

// The operations that need a [Capability].
const (
	OpKVGet         = abi.OpKVGet         // Get and Update of an Entry, Store.Get
	OpKVPut         = abi.OpKVPut         // Put and Update of an Entry, Store.Put, Store.PutIf
	OpKVDelete      = abi.OpKVDelete      // Entry.Delete, Store.Delete, Store.DeleteIf
	OpKVList        = abi.OpKVList        // Store.List
	OpHTTPFetch     = abi.OpHTTPFetch     // Call.Fetch, Call.FetchAll
	OpModelGenerate = abi.OpModelGenerate // Call.Generate, Call.GenerateAll
	OpToolCall      = abi.OpToolCall      // Call.CallTool
	OpClockNow      = abi.OpClockNow      // Call.ClockNow
	OpClockSleep    = abi.OpClockSleep    // Call.Sleep
	OpRandomBytes   = abi.OpRandomBytes   // Call.RandomBytes
)
