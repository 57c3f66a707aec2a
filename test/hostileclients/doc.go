// Package hostileclients holds tests of a server of agents whose clients are slow, huge, silent, many, or speak HTTP wrongly. The server is a
// process of its own. In each test a normal client works beside the hostile ones, and its runs must end well; the server's memory is measured
// while they act, and its goroutines, descriptors and log afterwards.
//
// With AGENTHOST_HOSTILE=1 the slow tests run too: those that wait for the timeouts of the server, and those with thousands of clients.
package hostileclients
