// Package sdk is for authors of agenthost plugins in Go. A plugin is a type with a method for each hook that it wants,
// registered in an init function:
//
//	type shout struct{}
//
//	func (shout) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
//		answer, err := c.Next(nil)
//		if err != nil {
//			return nil, nil, err
//		}
//		p := sdk.NewPatch("").SetContent(sdk.Text(strings.ToUpper(answer.Content.Text())))
//		return &p, nil, nil
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
// belongs into state fields, not into variables.
package sdk
