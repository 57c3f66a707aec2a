// Package reference runs test vectors. A vector is a file that describes an agent, its runs, and what the
// reference implementation of the agent loop did. testdata/vectors/README.md describes the format.
//
// [Read] reads a file strictly: an unknown key is an error. [Vector.Build] makes the agent, with models, tools and
// probes that record their calls. [Subject.Perform] performs one run. [Compare] returns how the outcome differs from
// the expected one.
package reference
