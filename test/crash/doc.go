// Package crash holds tests that kill processes. A child, which is the test binary itself, runs an agent on a thread. The parent
// kills the child at a random place or moment, drawn from a seed, and starts it again, until the thread is done. The thread must
// then have the same content as without kills, and no tool execution may have happened twice unless a person allowed it.
//
// Each test file covers one kind of accident. A process dies (kill_test.go), or dies while it creates the database
// (open_test.go). Two processes want the same thread (together_test.go). A process sleeps for too long (stopped_test.go). The
// connection to the server is cut, or the server restarts (cut_test.go).
//
// AGENTHOST_KILLS is the number of kills and cut connections per store. A failing test prints its seed; AGENTHOST_SEED repeats
// it. Kills at a place in the code then repeat exactly; kills at a moment in time do not.
package crash
