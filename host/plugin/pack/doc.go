// Package pack prepares a module for distribution: it removes the sections that only debuggers read, and adds the Description
// next to the code, so that a registry or an operator can read it without running anything.
package pack
