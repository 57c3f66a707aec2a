// Package sdk is for writing agenthost plugins in Go. A plugin is a type with a method for each hook that it
// implements. An init function registers it:
//
//	type shout struct{}
//
//	func (shout) WrapToolCall(c *sdk.ToolCall) (patch *sdk.Patch, update *sdk.Update, err error) {
//		answer, err := c.Next(nil)
//		if err == nil {
//			patch = sdk.Answer(strings.ToUpper(answer.Text()))
//		}
//		return patch, nil, err
//	}
//
//	func init() { sdk.Register(shout{}, sdk.Description{Name: "shout", Version: "1.0.0"}) }
//
//	func main() {}
//
// The same source builds with TinyGo, which produces small and fast modules, and with standard Go:
//
//	tinygo build -target=wasip1 -buildmode=c-shared -scheduler=none -opt=z -no-debug -o shout.wasm .
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -o shout.wasm .
//
// Always pass -scheduler=none: TinyGo's default scheduler costs hundreds of microseconds per call.
//
// The package also builds on other platforms, so you can test a plugin with plain go test. Package sdktest calls the hooks
// with a history, fields and replies that the test provides.
//
// A plugin declares each value that it keeps in the state as a [Field]. If the value follows from all messages, use an
// [Accumulator], which looks at each message only once. The arguments of tools (see [NewTool]) and the configuration (see
// [Decode]) are structs. The command sdk/go/gen writes their codecs and JSON Schemas, because reflection would make a guest
// large and slow. A wrap hook passes a change of the request or call to the inner layers:
// new(sdk.RequestChange).WithAppendedSystem("Be brief.").
//
// An instance of a plugin serves one call at a time, and any instance may serve any call. Keep data that must survive a
// call in state fields, not in variables. The clock and random numbers are derived from the input of the call, so they
// are reproducible and must not be used as secrets. TinyGo's crypto/rand, and math/rand with either compiler, start
// with the same state in every instance and continue from call to call. For a random number that depends only on the
// call, use Call.Seed.
//
// An operation that reaches beyond the call needs a capability. The plugin lists the capability in its Description with a
// reason, and the operator grants it. Call.Fetch makes HTTP requests, an [Entry] or Call.Store keeps values, Call.Generate asks a
// model, and Call.CallTool runs a tool of the agent. Call.FetchAll and Call.GenerateAll make several requests at once, and
// Call.Sleep waits. Call.ClockNow and Call.RandomBytes give the real time and real random numbers. A hook asks people with
// Call.Interrupt, and about a tool call with an [Approval].
//
// The caller of a run may give it values such as the tenant: Call.Context returns those that the Description lists and the operator
// grants. Call.RunInfo, Call.ModelInfo, Call.CountTokens and ModelCall.ToolSpecs tell more about the run.
package sdk
