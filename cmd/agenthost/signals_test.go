package main

import (
	"os"
	"os/signal"
)

// reportsInterrupts is the environment variable that makes the command print interruptSeen for each interrupt it receives.
const reportsInterrupts = "AGENTHOST_TEST_REPORT_INTERRUPTS"

const interruptSeen = "(an interrupt has arrived)"

// reportInterrupts lets a test wait until an interrupt has arrived. Whatever starts to listen after the report cannot receive
// it: the runtime hands a signal to all channels before it registers another one.
func reportInterrupts() {
	if os.Getenv(reportsInterrupts) == "" {
		return
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, os.Interrupt)
	go func() { // runs as long as the process
		for range arrived {
			_, _ = os.Stderr.WriteString(interruptSeen) // the test fails if it does not appear
		}
	}()
}
