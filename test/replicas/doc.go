// Package replicas holds tests of several servers of agents that share a database: processes that are killed at random moments, behind a proxy
// that cuts every stream. What a client was told must not be lost, and nothing may come twice.
//
// A replica is the test binary itself (replica_test.go). The proxy is in proxy_test.go, a client that comes back after each cut in
// client_test.go.
//
// AGENTHOST_KILLS is the number of kills; a failing test prints its seed, and AGENTHOST_SEED repeats it, as far as moments can be repeated.
package replicas
