package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// arguments accepts exactly the named arguments. If the last name ends with "...", it accepts more of the last one.
func arguments(names ...string) cobra.PositionalArgs {
	last, repeated := strings.CutSuffix(names[len(names)-1], "...")
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names)-1:
			return fmt.Errorf("%s: %s is missing", commandName(c), names[len(args)])
		case len(args) < len(names):
			return fmt.Errorf("%s: %s is missing", commandName(c), last)
		case len(args) > len(names) && !repeated:
			return fmt.Errorf("%s: there is an argument after %s that has no meaning: %q; remove it", commandName(c), last, args[len(names)])
		default:
			return nil
		}
	}
}

// noArguments accepts no arguments.
func noArguments(c *cobra.Command, args []string) error { return atMost(0)(c, args) }

// atMost accepts up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) <= n:
			return nil
		case n == 0:
			return fmt.Errorf("%s: the command takes no arguments; remove %q", commandName(c), args[0])
		default:
			return fmt.Errorf("%s: there is one argument too many: %q; remove it", commandName(c), args[n])
		}
	}
}

// commandName returns the name of a command as errors begin with it, such as "plugin new".
func commandName(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// commandSubject returns the name of a command as the subject of an error, such as "plugin new: ", or "" for the command itself.
func commandSubject(c *cobra.Command) string {
	if !c.HasParent() {
		return ""
	}
	return commandName(c) + ": "
}
