//go:build !linux

package processgroup

// marksProcesses reports whether the variable identifies the processes of a program.
const marksProcesses = false

// killStrays does nothing: nothing identifies the processes of a program.
func killStrays(int, string) {}
