//go:build !wasip1

package sdk

// Invoke performs an export of the registered plugin natively, as a host would: the document in, the result and the
// export's return value out. It is for tests.
func Invoke(export string, input []byte, h Host) (result []byte, code int32) {
	return dispatch(export, input, h, nil)
}
