// Package lazyregexp compiles regular expressions when they are first used. An expression in a package variable would otherwise be compiled
// at each start of each program that links the package, and most programs use few of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression in its first call, and returns it in every call. It panics if the expression is
// wrong. The argument must be a constant: a test of this package compiles all of them.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
