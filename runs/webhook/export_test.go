package webhook

import "net/http"

// SetTransport replaces the network.
func (s *Sender) SetTransport(t http.RoundTripper) { s.client.Transport = t }
