package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
)

// complete teaches the commands below what a shell may offer behind their flags and as their arguments.
func (a *app) complete(c *cobra.Command) {
	for _, below := range c.Commands() {
		a.complete(below)
	}
	completions := map[string]cobra.CompletionFunc{
		"file":   cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"thread": a.completeThread,
		"model": cobra.FixedCompletions([]string{openai.Provider + ":", anthropic.Provider + ":", gemini.Provider + ":"},
			cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp),
	}
	for flag, completion := range completions {
		if c.Flag(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, completion) // the flag exists, and has none
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
	case "FILE", "FILE...":
		c.ValidArgsFunction = cobra.FixedCompletions([]string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt)
	case "DIR", "[DIR]":
		c.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	}
}

// What is offered of the threads of a store: so many, and what is found in this time.
const (
	maxCompleted   = 200
	completionTime = 2 * time.Second
)

// typable are the names of threads that mean nothing else to a shell. A thread may have the name that somebody else gave it.
var typable = regexp.MustCompile(`^[A-Za-z0-9_./@+][A-Za-z0-9_./@+:,=-]*$`)

// completeThread offers the names of threads of the store: that of --store where the command has it, or the manifest's.
func (a *app) completeThread(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && c.Flags().Lookup("thread") == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var flags threadsFlags
	if store := c.Flags().Lookup("store"); store != nil {
		flags.store = store.Value.String()
	}
	ctx, cancel := context.WithTimeout(c.Context(), completionTime)
	defer cancel()
	var names []string
	err := a.withStore(ctx, &flags, func(store checkpoint.Store) error {
		for info, err := range checkpoint.AllThreads(ctx, store) {
			if err != nil || len(names) == maxCompleted {
				return err
			}
			if strings.HasPrefix(info.Thread, begin) && typable.MatchString(info.Thread) {
				names = append(names, info.Thread)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, cobra.ShellCompDirectiveNoFileComp // there is nothing to offer; the command itself says why
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
