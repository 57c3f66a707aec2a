// Package evaluate performs cases of agents again and again with the models of their manifests, and says how often they pass: with
// Wilson's intervals, the opinion of a judge, the time and the tokens. It compares two manifests with each other.
//
// [Run] performs what is missing of a [Plan], and tells each [Sample] as soon as it is there; a [Journal] keeps them in a file, so that
// an evaluation can go on after it was stopped. [Summarize] makes the tables.
package evaluate
