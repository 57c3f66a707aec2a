// Command bench compares agenthost with its alternatives on this machine, in one run. It measures the cost of a hook in each place
// where it can run, of a round of the loop in each framework, of checkpoints, of a thousand concurrent runs, of a server and of guests, and the
// time from a process's start to its first request. It prints tables, and writes them to RESULTS.md.
//
//	make bench-peers
//	cd bench && go run . -only '^hooks$' -reps 3
//
// A peer is a program in peers/ that performs one case of a suite in its own process, and reports its time and its work; see [Peer].
// The peers of a case take turns, repetition by repetition, so that other load of the machine affects all of them. The medians are
// compared, and all peers must have done the same work.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
)

// Options holds the flags.
type Options struct {
	Only    *regexp.Regexp // suites to perform
	Reps    int            // measurements per cell; the median counts
	Seconds float64        // approximate length of a measurement
	Core    int            // to which measurements are pinned
	Out     string         // file for the results; none if empty
	Splice  bool           // into the earlier results of the file
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	options, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	return bench(ctx, options)
}

func parse(args []string, out io.Writer) (*Options, error) {
	o := &Options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, "Usage: go run . [flags]\n\n"+
			"Measures agenthost beside its peers, which it installs into peers/ at first. In the directory bench of a checkout.\n\nFlags:\n")
		flags.PrintDefaults()
		fmt.Fprintln(out, "\nSuites:")
		for _, s := range suites() {
			fmt.Fprintf(out, "  %-11s %s\n", s.Name, s.Title)
		}
	}
	only := flags.String("only", "", "perform only suites whose name matches this regular `expression`")
	quick := flags.Bool("quick", false, "one short measurement of each cell: shows that all works, and no more (sets -reps 1 -seconds 0.1 -o '')")
	flags.IntVar(&o.Reps, "reps", 7, "measure each cell so often, and take the `median`; suites of servers at most three times")
	flags.Float64Var(&o.Seconds, "seconds", 0.5, "length of a measurement, about")
	flags.IntVar(&o.Core, "core", 1, "`processor` on which all but the crowd is pinned, by taskset")
	flags.StringVar(&o.Out, "o", "RESULTS.md", "`file` to write the results to, none if empty; not written with -only, unless it is given too")
	flags.BoolVar(&o.Splice, "splice", false, "replace only the suites that are performed in the file of -o, and their targets")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: the suites are chosen by -only", flags.Arg(0))
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if *quick {
		o.Reps, o.Seconds = 1, 0.1
	}
	if (*quick || *only != "" && !o.Splice) && !given["o"] {
		o.Out = ""
	}
	if o.Reps < 1 || o.Seconds <= 0 {
		return nil, errors.New("-reps and -seconds must be greater than 0")
	}
	var err error
	if o.Only, err = regexp.Compile(*only); err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	return o, nil
}

// bench performs the suites and writes the report.
func bench(ctx context.Context, o *Options) error {
	if _, err := os.Stat(filepath.Join("peers", "agenthost")); err != nil {
		return errors.New("there is no peers/agenthost here: change to the directory bench of a checkout")
	}
	results := &Results{Options: o, Machine: machine(ctx)}
	for _, suite := range suites() {
		if !o.Only.MatchString(suite.Name) {
			continue
		}
		done, err := perform(ctx, o, suite)
		if err != nil {
			return err
		}
		results.Suites = append(results.Suites, done)
		done.write(os.Stdout)
	}
	if len(results.Suites) == 0 {
		return fmt.Errorf("no suite matches %q: there are %s", o.Only, suiteNames())
	}
	results.writeTargets(os.Stdout)
	switch {
	case o.Out != "" && o.Splice:
		if err := results.splice(o.Out); err != nil {
			return err
		}
	case o.Out != "":
		if err := results.save(o.Out); err != nil {
			return err
		}
	}
	return results.failure()
}
