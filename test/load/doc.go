// Package load holds tests of a server of agents under load: many runs at once, whose streams must be whole, and clients that do all that clients
// do for a long time, in SQLite and in PostgreSQL. The server is a process of its own.
//
// AGENTHOST_LOAD is the number of runs (default 60), and AGENTHOST_SERVER_SOAK the time of the clients (default 2s).
// AGENTHOST_PROFILE names a directory for profiles of the server.
package load
