// Package langgraph holds tests that compare the server of agents with LangGraph's: conversations that were recorded with langgraph-api 0.16.7 are
// held again with ours, and the answers must have the same statuses, headers, shapes and order of events.
//
// The recordings are in testdata, one conversation a file and one exchange a line. What depends on the moment, such as ids and times, is a
// placeholder: <thread_1>, <run_1>, <time>. The agents that answer as the recorded ones did are in server_test.go, scripted_test.go and
// counting_test.go; what took its time there waits in gate_test.go. How an exchange is repeated is in replay_test.go, how answers are compared in
// shape_test.go. Where ours differ, exceptions_test.go says why.
package langgraph
