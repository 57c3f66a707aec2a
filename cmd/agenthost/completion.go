package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/manifest"
)

// complete adds shell completion of flags and arguments to a command and its subcommands.
func (a *app) complete(c *cobra.Command) {
	for _, below := range c.Commands() {
		a.complete(below)
	}
	completions := map[string]cobra.CompletionFunc{
		manifestFlag:   cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"thread":       a.completeThread,
		"model":        completeModel,
		"editor-tools": cobra.FixedCompletions([]string{"all", "read", "none"}, cobra.ShellCompDirectiveNoFileComp),
	}
	for flag, completion := range completions {
		if c.Flag(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, completion) // the flag exists and has no completion yet
		}
	}
	if output := c.Flags().Lookup("output"); output != nil && output.DefValue == "text" {
		forms := []string{"text", "json"}
		if c.Flags().Lookup("record") != nil {
			forms = append(forms, "jsonl")
		}
		_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	}
	if c.ValidArgsFunction != nil {
		return
	}
	_, arguments, _ := strings.Cut(c.Use, " ")
	switch first, _, _ := strings.Cut(arguments, " "); first {
	case "THREAD", "THREAD...":
		c.ValidArgsFunction = a.completeThread
	case "SERVER":
		c.ValidArgsFunction = a.completeServer
	case "FILE", "FILE...", "FILE|oci://HOST/NAME:TAG", "FILE|oci://HOST/NAME:TAG...":
		c.ValidArgsFunction = cobra.FixedCompletions([]string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt)
	case "DIR", "[DIR]":
		c.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	}
}

// completeModel offers the first parts of PROVIDER:NAME.
func completeModel(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all := manifest.Providers()
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.Name + ":"
	}
	return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// Limits of the completion of threads: their number, and the time to look for them.
const (
	maxCompleted   = 200
	completionTime = 2 * time.Second
)

// typable matches the names of threads that are safe in a shell. Names may come from elsewhere.
var typable = lazyregexp.New(`^[A-Za-z0-9_./@+][A-Za-z0-9_./@+:,=-]*$`)

// completeThread offers the threads of the store that --store names, if the command has that flag, or the manifest.
func (a *app) completeThread(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && c.Flags().Lookup("thread") == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var flags threadsFlags
	if store := c.Flags().Lookup("store"); store != nil {
		flags.store = store.Value.String()
	}
	if a.locate(c) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp // the command itself will report the error
	}
	ctx, cancel := context.WithTimeout(c.Context(), completionTime)
	defer cancel()
	var names []string
	err := a.withStore(ctx, &flags, func(store checkpoint.Store) error {
		for info, err := range checkpoint.AllThreads(ctx, store, checkpoint.Query{Prefix: begin}) {
			if err != nil || len(names) == maxCompleted {
				return err
			}
			if typable().MatchString(info.Thread) {
				names = append(names, info.Thread)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, cobra.ShellCompDirectiveNoFileComp // the command itself will report the error
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
