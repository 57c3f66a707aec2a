// Package sdk is for authors of agenthost plugins in Go. A plugin is a type with a method for each hook that it wants,
// registered in an init function:
//
//	type shout struct{}
//
//	func (shout) WrapToolCall(c *sdk.ToolCall) (patch *sdk.Patch, update *sdk.Update, err error) {
//		answer, err := c.Next(nil)
//		if err == nil {
//			loud := sdk.NewPatch("").SetContent(sdk.Text(strings.ToUpper(answer.Message().Content.Text())))
//			patch = &loud
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
//	tinygo build -target=wasip1 -buildmode=c-shared -scheduler=none -no-debug -o shout.wasm .
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o shout.wasm .
//
// TinyGo's default scheduler costs hundreds of microseconds a call: do not leave out -scheduler=none.
//
// On other platforms the package builds too: a plugin's methods are tested with plain go test, and [Invoke] calls a hook
// by its document, as a host would.
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
