// Package httptool makes tools that are HTTP requests: an operator writes the request with places for arguments, and a
// model fills these in.
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
// {name} stands for an argument, {{ and }} for a brace. An argument is escaped for its place and cannot leave it: a part of
// a path stays that part, a value of the query that value, a header that header. Scheme, user and port are the
// operator's, and so is the host, unless it has a place too: then Allow lists what it may be.
//
// # Where requests go
//
// The client is that of plugins, see package fetch: no proxy, no cookies, a public address or one that the
// operator named, bounded in size and time. A redirect is followed where Allow lists it, and no header of the operator
// goes to another host than the URL's.
//
// # What a model sees
//
// JSON, or the part of it that Result points to, text and images. A status of 300 and up, a timeout or a broken
// connection is a failed result, to which a model can react; only the end of the run's context is an error. Secrets are
// replaced by *** in all that comes back: credentials in Headers, and what Secrets lists.
package httptool
