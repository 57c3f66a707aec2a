// Package langchain reads and writes messages in LangChain's JSON form, as LangGraph's server and its clients exchange them.
//
// # Where to find what
//
//   - messages to clients: message.go, pieces of an answer: chunk.go
//   - messages from clients: read.go
//   - contents, in both directions: content.go
package langchain
