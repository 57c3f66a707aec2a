// Package text has the few operations on texts that many packages need: to cut them, put them on one line, make them safe to
// print, find a similar name, and search a line for a limited time.
package text
