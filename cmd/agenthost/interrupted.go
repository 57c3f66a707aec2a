package main

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/host"
)

// interruptedError is a run that ended as interrupted, as a person reads it.
type interruptedError struct{ result *host.Result }

func (e *interruptedError) Error() string {
	var out strings.Builder
	if asked := e.result.Interrupts; len(asked) > 0 {
		out.WriteString("the run is interrupted, and waits for an answer:")
		for i := range asked {
			fmt.Fprintf(&out, "\n  %s: %s", subject(&asked[i]), asked[i].Value.JSON())
		}
	} else {
		out.WriteString("the run is interrupted by a breakpoint")
	}
	fmt.Fprintf(&out, "\nnext step: %s", e.result.Next)
	out.WriteString("\nThis version of the command cannot resume it: nothing of the run is kept when the process ends.")
	return out.String()
}

// subject says what an interrupt asks about, and who asks.
func subject(asked *host.Interrupt) string {
	call := ""
	if asked.CallID != "" {
		call = ", call " + asked.CallID
	}
	return fmt.Sprintf("%s of %s%s (id %s)", asked.Key, asked.Step, call, asked.ID)
}
