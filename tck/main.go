// Command tck certifies a guest. It tests whether a WebAssembly module follows abi/SPEC.md.
//
//	go run ./tck FILE.wasm [--config JSON] [--refused-config JSON]… [--json] [-v] [--seed N] [--random N]
//
// It exits with 0 if the guest is certified, 1 if it is not, and 2 if the arguments or the file cannot be used.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/tck/certify"
)

// The exit codes.
const (
	exitCertified = 0
	exitNot       = 1
	exitUsage     = 2
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	code := exitUsage
	cmd := command(&code)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "tck: "+terminal.Continued(err.Error()))
		return exitUsage
	}
	return code
}

// maxModule is the size of the largest guest, in bytes. Hosts have limits of their own.
const maxModule = 64 << 20

func command(code *int) *cobra.Command {
	var config string
	var refused []string
	var asJSON, verbose bool
	var options certify.Options
	cmd := &cobra.Command{
		Use:           "tck FILE.wasm",
		Short:         "Test whether a guest follows abi/SPEC.md",
		Args:          cobra.ExactArgs(1),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			module, err := regularfile.Read(args[0], maxModule)
			if err != nil {
				return err
			}
			if config != "" {
				if err := options.Config.UnmarshalJSON([]byte(config)); err != nil {
					return fmt.Errorf("--config: %w", err)
				}
			}
			for _, text := range refused {
				var values wire.Map
				if err := values.UnmarshalJSON([]byte(text)); err != nil {
					return fmt.Errorf("--refused-config: %w", err)
				}
				options.Refused = append(options.Refused, values)
			}
			report := certify.Guest(cmd.Context(), module, options)
			if err := show(cmd.OutOrStdout(), report, asJSON, verbose); err != nil {
				return err
			}
			if *code = exitCertified; !report.Certified {
				*code = exitNot
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&config, "config", "", "the plugin's configuration, a JSON `object`; the schema's defaults are filled in")
	flags.StringArrayVar(&refused, "refused-config", nil, "a configuration, a JSON `object`, that the plugin must refuse; may be repeated")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	flags.BoolVarP(&verbose, "verbose", "v", false, "also list the checks that passed and those that do not apply")
	flags.Uint64Var(&options.Seed, "seed", 0, "the `number` that seeds the random inputs")
	flags.IntVar(&options.Random, "random", certify.DefaultRandom, "the `number` of random inputs for each hook")
	return cmd
}

func show(w io.Writer, report *certify.Report, asJSON, verbose bool) error {
	if !asJSON {
		report.Write(w, verbose)
		return nil
	}
	return terminal.PrintDocument(w, report)
}
