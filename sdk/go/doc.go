// Package sdk is for authors of agenthost plugins in Go. A plugin is a type with a method for each hook that it wants,
// registered in an init function:
//
//	type shout struct{}
//
//	func (shout) WrapToolCall(c *sdk.ToolCall) (patch *sdk.Patch, update *sdk.Update, err error) {
//		answer, err := c.Next(nil)
//		if err == nil {
//			patch = sdk.Answer(strings.ToUpper(answer.Message().Content.Text()))
//		}
//		return patch, nil, err
//	}
//
//	func init() { sdk.Register(shout{}, sdk.Description{Name: "shout", Version: "1.0.0"}) }
//
//	func main() {}
//
// The same source builds with TinyGo, which gives small and quick modules, and with standard Go:
//
//	tinygo build -target=wasip1 -buildmode=c-shared -scheduler=none -opt=z -no-debug -o shout.wasm .
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -o shout.wasm .
//
// TinyGo's default scheduler costs hundreds of microseconds a call: do not leave out -scheduler=none.
//
// On other platforms the package builds too: a plugin is tested with plain go test and package sdktest, which calls its hooks
// with a history, fields and replies of the test's making.
//
// What a plugin keeps in the state it declares as a [Field], or, where it follows from all messages, as an [Accumulator], which
// looks at each message once. The arguments of its tools, see [NewTool], and its configuration, see [Decode], are structs whose
// codecs and JSON Schemas the command sdk/go/gen writes: a guest has no use for reflection. What goes inward in a wrap hook
// is a change of the request or call: new(sdk.RequestChange).WithAppendedSystem("Be brief.").
//
// An instance of a plugin serves one call at a time, and any instance may serve any call: what must survive a call
// belongs into state fields, not into variables. Clock and random numbers follow from the input of the call: they are
// reproducible, and no source of secrets. TinyGo's crypto/rand, and math/rand everywhere, start alike in every instance
// and go on from call to call; a random number that belongs to the call follows from Call.Input().Seed.
//
// What reaches beyond the call needs a capability: the plugin lists it in its Description with a reason, and the operator
// grants it. Call.Fetch makes HTTP requests, Call.Store keeps values, Call.Generate asks a model, Call.CallTool runs a
// tool of the agent, Call.ClockNow and Call.RandomBytes are the real clock and real random numbers.
package sdk
