// Package crash holds tests that kill processes: what a thread is kept for. A child, which is the test binary itself, runs
// an agent on a thread. The parent kills it, at a place or a moment that a seed has drawn, and starts it again, until the
// thread is done. It must then hold what it holds when nobody is killed, and no execution of a tool may have happened
// twice unless a person said so.
//
// Each file of tests stands for one thing that can happen: a process dies (kill_test.go), it dies while it makes the
// database (open_test.go), two of them want the same thread (together_test.go), one sleeps for too long
// (stopped_test.go), the way to the server is cut or the server starts again (cut_test.go).
//
// AGENTHOST_KILLS is how often processes are killed, and connections cut, for each store. AGENTHOST_SEED repeats the draw
// of a test that failed, which prints its own: those who die by their own hand, at a place, do so again; kills by the
// clock do not repeat.
package crash
