//go:build !wasip1

package sdk

// Invoke performs an export of the registered plugin natively, as a host would. It takes the input document and
// returns the result and the export's return value. It is for tests.
func Invoke(export string, input []byte, h Host) (result []byte, code int32) {
	return new(frame).dispatch(export, func() []byte { return input }, h, nil)
}
