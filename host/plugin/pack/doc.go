// Package pack makes a module ready to be handed on: without what only debuggers read, and with its Description beside the
// code, so that a registry or an operator can read that without running anything.
package pack
