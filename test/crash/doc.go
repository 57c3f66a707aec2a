// Package crash holds tests that kill processes. A child, which is the test binary itself, runs an agent on a thread. The parent
// kills it at a random place or moment that follows from a seed, and starts it again, until the thread is done. The thread must
// then hold the same as without kills, and no execution of a tool may have happened twice unless a person said so.
//
// Each test file covers one kind of accident: a process dies (kill_test.go), or dies while it creates the database (open_test.go);
// two processes want the same thread (together_test.go); one sleeps for too long (stopped_test.go); the connection to the server
// is cut, or the server restarts (cut_test.go).
//
// AGENTHOST_KILLS is the number of kills and cut connections per store. A failing test prints its seed; AGENTHOST_SEED repeats it.
// Kills at a place in the code then repeat exactly; kills by the clock do not.
package crash
