package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// flagError rewrites an error of the parser of flags: it names the command and says what to write, without the names of Go functions.
// A group of commands lacks the flags of a command that does not exist, so that is what it says.
func flagError(c *cobra.Command, err error) error {
	if c.HasAvailableSubCommands() && c.Flags().NArg() > 0 {
		return unknownCommand(c, c.Flags().Arg(0))
	}
	return fmt.Errorf("%s%w", commandSubject(c), flagProblem(c, err))
}

func flagProblem(c *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalidValue(invalid)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		flag := missing.GetFlag()
		value, _ := pflag.UnquoteUsage(flag)
		return fmt.Errorf("--%s needs a value; write --%s %s", flag.Name, flag.Name, strings.ToUpper(value))
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(c, unknown)
	}
	if wrong, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return fmt.Errorf("%s is not a flag; write --NAME or --NAME=VALUE%s", terminal.Line(wrong.GetSpecifiedFlag()), argumentHint(c))
	}
	return err
}

// invalidValue says what the value of a flag must look like.
func invalidValue(invalid *pflag.InvalidValueError) error {
	flag := invalid.GetFlag()
	given := strings.TrimSpace("--" + flag.Name + " " + invalid.GetValue())
	switch flag.Value.Type() {
	case "uint64", "int", "intSlice":
		return fmt.Errorf("%s: write the number in digits only, such as 50", given)
	case "duration":
		return fmt.Errorf("%s: write a duration with a unit, such as 30s or 2m", given)
	case "bool":
		return fmt.Errorf("%s: write true or false", given)
	default:
		return fmt.Errorf("%s: %w", given, invalid.Unwrap())
	}
}

// unknownFlag says that a command has no such flag, and suggests a similar one, or the commands that have it.
func unknownFlag(c *cobra.Command, unknown *pflag.NotExistError) error {
	name := unknown.GetSpecifiedName()
	if group := unknown.GetSpecifiedShortnames(); group != "" {
		return fmt.Errorf("there is no flag -%s%s%s", terminal.Line(name), within(name, group), argumentHint(c))
	}
	var names []string
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	if name == "file" && c.Flag(manifestFlag) != nil { // its name until run got a --file for messages
		return fmt.Errorf("there is no flag --file; did you mean --%s, or -f?", manifestFlag)
	}
	if near, ok := text.Nearest(name, names); ok {
		return fmt.Errorf("there is no flag --%s; did you mean --%s?", terminal.Line(name), near)
	}
	if below := commandsWithFlag(c, name); len(below) > 0 {
		return fmt.Errorf("there is no flag --%s here; write it after the command: %s --%s", terminal.Line(name), below[0].CommandPath(), name)
	}
	return fmt.Errorf("there is no flag --%s; leave it out%s", terminal.Line(name), argumentHint(c))
}

// within names the group of letters that a letter was part of, if there was more than one.
func within(letter, group string) string {
	if group == letter {
		return ""
	}
	return " in -" + terminal.Line(group)
}

// argumentHint says how to write an argument that begins with "-", for a command that takes arguments.
func argumentHint(c *cobra.Command) string {
	if _, arguments, _ := strings.Cut(c.Use, " "); strings.TrimSpace(strings.ReplaceAll(arguments, "[flags]", "")) == "" {
		return ""
	}
	return "; if it is an argument, write -- before it"
}

// commandsWithFlag returns the subcommands that have a flag.
func commandsWithFlag(c *cobra.Command, name string) (found []*cobra.Command) {
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Flag(name) != nil {
			found = append(found, below)
		}
		found = append(found, commandsWithFlag(below, name)...)
	}
	return found
}

// notTogether refuses two flags that exclude each other.
func notTogether(c *cobra.Command, one, other string) error {
	if c.Flags().Changed(one) && c.Flags().Changed(other) {
		return fmt.Errorf("%s--%s and --%s exclude each other; leave out one of them", commandSubject(c), one, other)
	}
	return nil
}
