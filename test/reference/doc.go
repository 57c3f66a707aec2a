// Package reference runs test vectors: files that describe an agent and its runs, with what the reference
// implementation of the agent loop did. Their format is testdata/vectors/README.md.
//
// [Read] reads a file, strictly: a key that the format does not know is an error. [Build] makes the agent, with models,
// tools and probes that record what happens to them, and [Subject.Perform] performs one run. [Compare] tells how the
// outcome differs from what is expected.
package reference
