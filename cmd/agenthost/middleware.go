package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/catalog"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

func (a *app) middlewareCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "middleware", Short: "Show the built-in middleware"})
	c.AddCommand(a.middlewareListCommand(), a.middlewareShowCommand())
	return c
}

func (a *app) middlewareListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list [flags]",
		Short:   "List the built-in middleware",
		Example: "  agenthost middleware list\n  agenthost middleware list --json | jq -r '.[].name'",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := catalog.All()
			if err == nil && asJSON {
				err = terminal.PrintDocument(a.out, all)
			} else if err == nil {
				err = a.listMiddleware(all)
			}
			if err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print everything about each middleware, including its JSON Schema")
	return c
}

func (a *app) listMiddleware(all []catalog.Middleware) error {
	for i := range all {
		m := &all[i]
		also := ""
		if len(m.Aliases) > 0 {
			also = " (also " + strings.Join(m.Aliases, ", ") + ")"
		}
		if _, err := fmt.Fprintf(a.out, "%-26s %s%s\n", m.Name, m.Summary, also); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) middlewareShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME [flags]",
		Short: "Show what a built-in middleware does, its configuration and an example",
		Example: `  agenthost middleware show summarization
  agenthost middleware show pii --json | jq .schema`,
		Args:              arguments("NAME"),
		ValidArgsFunction: completeMiddleware,
		RunE: func(_ *cobra.Command, args []string) error {
			m, found, err := catalog.Find(args[0])
			switch {
			case err != nil:
				return &exitError{exitFailed, err}
			case !found:
				if near, ok := text.Nearest(args[0], middlewareNames()); ok {
					return &exitError{exitUsage, fmt.Errorf("middleware show: there is no built-in middleware %q; did you mean %q?", args[0], near)}
				}
				return &exitError{exitUsage, fmt.Errorf("middleware show: there is no built-in middleware %q; choose one of %s", args[0],
					strings.Join(middlewareNames(), ", "))}
			case asJSON:
				err = terminal.PrintDocument(a.out, m)
			default:
				err = a.showMiddleware(&m)
			}
			if err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON document, including the JSON Schema of the configuration")
	return c
}

func middlewareNames() []string {
	registry := builtin.Registry()
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}

func completeMiddleware(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return middlewareNames(), cobra.ShellCompDirectiveNoFileComp
}

// showMiddleware prints a middleware for a person.
func (a *app) showMiddleware(m *catalog.Middleware) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", m.Name, m.Summary)
	if len(m.Aliases) > 0 {
		fmt.Fprintf(&b, "Also: %s\n", strings.Join(m.Aliases, ", "))
	}
	fmt.Fprintf(&b, "\n%s\n", m.Description)
	if len(m.Keys) > 0 {
		b.WriteString("\nConfiguration:\n")
	}
	for i := range m.Keys {
		k := &m.Keys[i]
		notes := []string{k.Type}
		if k.Required {
			notes = append(notes, "required")
		}
		if k.Default != "" {
			notes = append(notes, "default "+k.Default)
		}
		fmt.Fprintf(&b, "  %s (%s)\n", k.Name, strings.Join(notes, "; "))
		for _, line := range wrap(k.Description, 96) {
			fmt.Fprintf(&b, "      %s\n", line)
		}
	}
	fmt.Fprintf(&b, "\nExample:\n%s", indent(m.Example, "  "))
	_, err := fmt.Fprint(a.out, b.String())
	return err
}

// wrap breaks a text between words into lines of at most width bytes.
func wrap(text string, width int) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return slices.Clip(lines)
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}
