package access

import (
	"net/http"
	"slices"
)

// Wrapper puts something in front of a handler.
type Wrapper func(next http.Handler) http.Handler

// Chain puts the wrappers in front of a handler. The first is the outermost.
func Chain(handler http.Handler, wrappers ...Wrapper) http.Handler {
	for _, wrap := range slices.Backward(wrappers) {
		handler = wrap(handler)
	}
	return handler
}
