// Package jsonbody reads the JSON bodies of requests.
//
// [Decode] differs from encoding/json where that would let two programs read one body differently, or where LangGraph's server does:
//
//   - a body is one document in UTF-8, and nothing follows it
//   - of the members of an object with the same name, the last counts, at every depth; encoding/json would merge objects
//   - names are compared exactly; encoding/json would take "Thread_ID" for "thread_id"
//   - null is refused for a field that is not a pointer, interface or [json.RawMessage]; encoding/json would ignore it
//   - values nest at most [MaxDepth] deep
//
// Members that a struct does not have are ignored, as in LangGraph's server. Errors are of type
// [github.com/agenthost/agenthost/server/internal/detail.Error], with the status 422 for what a body says, 413 for one that is too large, and
// 408 for one that does not arrive in time.
//
// # Where to find what
//
//   - how a body is read, and what the errors say: decode.go; which members count: clean.go; depth: depth.go
package jsonbody
