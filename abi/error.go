package abi

import "strconv"

// DocumentError is a document that is well-formed msgpack but not what SPEC.md asks for.
type DocumentError struct {
	Document string // which document or part of one
	Reason   string
}

func (e *DocumentError) Error() string { return e.Document + ": " + e.Reason }

func utoa(n uint64) string { return strconv.FormatUint(n, 10) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
