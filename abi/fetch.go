package abi

//msgp:tag msgpack

// FetchRequest is an HTTP request of http.fetch.
type FetchRequest struct {
	Body      []byte   `msgpack:"body,omitempty"`
	Headers   []Header `msgpack:"headers,omitempty"`    // ${secret:NAME} in a value is replaced by a secret of the grant
	Method    string   `msgpack:"method,omitempty"`     // absent: GET
	TimeoutMS uint64   `msgpack:"timeout_ms,omitempty"` // milliseconds for the whole exchange; absent or longer than the grant's: the grant's timeout
	URL       string   `msgpack:"url"`
}

// FetchResponse answers a FetchRequest, whatever the status.
type FetchResponse struct {
	Body    []byte   `msgpack:"body,omitempty"` // as received, not decompressed
	Headers []Header `msgpack:"headers"`        // names in lower case, sorted
	Status  uint64   `msgpack:"status"`
	URL     string   `msgpack:"url"` // the last URL, after redirects
}

// Header is one line of an HTTP header.
type Header struct {
	Name  string `msgpack:"name"`
	Value string `msgpack:"value"`
}

// Header returns the first value of the header with this name, or "" if there is none. The name must be in lower case.
func (r *FetchResponse) Header(name string) string {
	for _, h := range r.Headers {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}
