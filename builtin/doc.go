// Package builtin holds the middleware that comes with agenthost. Each is a struct whose exported fields are its
// configuration: in Go it goes into host.Config.Middleware, and in a manifest it stands under its registered name with
// the keys of the struct's tags, which are the parameter names of LangChain's middleware.
package builtin
