// Package toolchain finds the compilers that make plugins, and runs them with the flags that a plugin needs: a reactor
// without a scheduler and with a small stack. It says what is missing, and where to get it.
package toolchain
