// Package toolchain finds the compilers for plugins and runs them with the flags that a plugin needs: a reactor without a
// scheduler and with a small stack. If a tool is missing, the error says which, and how to get it.
package toolchain
