package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/internal/terminal"
)

// The outcomes of a check.
const (
	checkOK     = "ok"
	checkNote   = "note" // worth knowing, but not a failure
	checkFailed = "failed"
)

// check is the result of one check.
type check struct {
	Subject string `json:"check"`
	Outcome string `json:"outcome"` // ok, note or failed
	Found   string `json:"found"`
	Remedy  string `json:"remedy,omitempty"` // what to do about it
}

// doctor checks everything that a run needs.
type doctor struct {
	*app

	online bool
	config string            // serve.yaml; "": none
	inFile map[string]string // the variables in the manifest's env_file
	named  bool              // the agent has a name
	checks []check
}

func (a *app) doctorCommand() *cobra.Command {
	var online, json bool
	var config string
	c := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Check everything a run needs, and say what to do about problems",
		Long: `Check everything a run needs, and print one line for each check and what to do about a problem: the
manifest, the keys of its models (without showing them), its plugins with their ABI and pins, the store of
its threads, the cache of compiled plugins, and the compilers that build plugins.

Without --online, doctor sends nothing to a provider. It only asks a server of models on this machine, such
as Ollama, whether it has the model. It starts and reaches no MCP server, but looks for its
program, and calls no tool. Others than the owner should not be able to read databases and *.cassette files.
An existing database is opened and written to; a missing one is not created. A missing compiler is not a
failure. With --config, doctor also checks what 'agenthost serve' needs.

The exit code is 0 if no check failed, and 2 otherwise.`,
		Example: `  agenthost doctor
  agenthost doctor --online
  agenthost doctor --config serve.yaml
  agenthost doctor --json | jq '.checks[] | select(.outcome == "failed")'`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			d := &doctor{app: a, online: online, config: config}
			if err := d.look(c.Context()); err != nil {
				return err
			}
			return d.print(json)
		},
	}
	a.manifestFlags(c)
	c.Flags().BoolVar(&online, "online", false, "also send each model a short request, which costs a few tokens, and ask for the keys of an issuer of tokens")
	c.Flags().StringVar(&config, "config", "", "also check this serve.yaml `FILE`: who may use the server, its certificate, address, database and its clock")
	c.Flags().BoolVar(&json, "json", false, "print a JSON document")
	return c
}

// look performs all checks.
func (d *doctor) look(ctx context.Context) error {
	for _, part := range []func(context.Context){d.manifest, d.store, d.serve, d.cassettes, d.cache, d.toolchains} {
		part(ctx)
		if ctx.Err() != nil {
			return interrupted()
		}
	}
	return nil
}

func (d *doctor) okf(subject, format string, args ...any) {
	d.checks = append(d.checks, check{subject, checkOK, fmt.Sprintf(format, args...), ""})
}

func (d *doctor) note(subject, found, remedy string) {
	d.checks = append(d.checks, check{subject, checkNote, found, remedy})
}

func (d *doctor) failed(subject, found, remedy string) {
	d.checks = append(d.checks, check{subject, checkFailed, found, remedy})
}

// print prints the checks, and returns an error if one failed.
func (d *doctor) print(json bool) error {
	failed := 0
	for i := range d.checks {
		if d.checks[i].Outcome == checkFailed {
			failed++
		}
	}
	var err error
	if json {
		err = terminal.PrintDocument(d.out, struct {
			OK     bool    `json:"ok"`
			Checks []check `json:"checks"`
		}{failed == 0, d.checks})
	} else {
		_, err = fmt.Fprint(d.out, describeChecks(d.checks))
	}
	switch {
	case err != nil:
		return &exitError{exitFailed, err}
	case failed == 1:
		return &exitError{exitUsage, errors.New("doctor: one check failed")}
	case failed > 0:
		return &exitError{exitUsage, fmt.Errorf("doctor: %d checks failed", failed)}
	}
	return nil
}

// describeChecks returns a line for each check, followed by what to do.
func describeChecks(checks []check) string {
	width := 0
	for i := range checks {
		width = max(width, len(checks[i].Subject))
	}
	var out strings.Builder
	for i := range checks {
		c := &checks[i]
		found := terminal.Continued(c.Found)
		fmt.Fprintf(&out, "%-6s  %-*s  %s\n", c.Outcome, width, terminal.Line(c.Subject), found)
		if c.Remedy != "" {
			fmt.Fprintf(&out, "        → %s\n", terminal.Continued(c.Remedy))
		}
	}
	return out.String()
}
