// Package clientscript runs scripts of official clients against servers, for tests: [Run] runs one to its end, and [Tools] are the tools of the agents
// that scripts talk to.
package clientscript
