package main

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"
)

// letters are the ones of which names of threads are made: they are easy to read and to type.
const letters = "abcdefghijkmnpqrstuvwxyz23456789"

// newThread returns a name for a thread without one, such as run-20261124-150405-x7k2mq. Names sort by time. Runs that start in the
// same second have different names with a probability of one to a billion.
func newThread(prefix string, now time.Time) string {
	var some [5]byte
	_, _ = rand.Read(some[:]) // never fails
	return strings.Join([]string{prefix, now.UTC().Format("20060102-150405"), base32.NewEncoding(letters).EncodeToString(some[:])[:6]}, "-")
}
