// Package httptool makes tools that are HTTP requests. An operator writes the request with places for arguments, and a model
// fills them in.
//
//	weather, err := httptool.New(httptool.Config{
//		Name: "weather", Description: "Tells the weather of a city.",
//		URL:     "https://api.example.com/v1/{city}",
//		Query:   map[string]string{"days": "{days}"},
//		Headers: map[string]string{"Authorization": "Bearer " + key},
//		Result:  "/current",
//	})
//
// # What a model can choose
//
// {name} is the place of an argument, and {{ and }} are literal braces. An argument is escaped for its place and cannot leave
// it: a path segment stays that segment, a query value stays that value, and a header stays that header. The operator fixes
// scheme, user and port, and also the host, unless it contains a place; Allow then lists the possible hosts.
//
// # Where requests go
//
// The client is the one that plugins use (see package fetch): no proxy, no cookies, only public addresses or ones that the
// operator named, and bounds on size and time. A redirect is followed within the URL's own origin, and to the hosts that Allow
// lists. The operator's headers are sent to no host but the URL's.
//
// # What a model sees
//
// A model sees JSON, or the part of it that Result points to, text and images. A status of 300 or above, a timeout or a broken
// connection is a failed result, to which the model can react; only the end of the run's context is an error. Secrets are
// replaced by *** in everything that comes back: credentials in Headers, and the values in Secrets.
//
// # Where to find what
//
//   - where an argument may stand, and how it is escaped: template.go, segment.go, target.go, body.go, request.go
//   - which addresses may be reached: client.go and package fetch; redirects, and which headers follow them: redirect.go
//   - what the model sees of a response: result.go, pointer.go; of a failure: call.go, error.go; what is hidden: secret.go
//   - what the configuration may contain: config.go; the schema of the arguments: parameters.go
package httptool
