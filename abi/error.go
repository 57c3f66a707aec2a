package abi

import "strconv"

// DocumentError reports a document that is well-formed msgpack but does not follow SPEC.md.
type DocumentError struct {
	Document string // the document, or the part of a document
	Reason   string
}

func (e *DocumentError) Error() string { return e.Document + ": " + e.Reason }

func utoa(n uint64) string { return strconv.FormatUint(n, 10) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
