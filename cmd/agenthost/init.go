package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// initFlags are the flags of init.
type initFlags struct {
	agentPlan

	yes, force bool
}

func (a *app) initCommand() *cobra.Command {
	var flags initFlags
	c := &cobra.Command{
		Use:   "init [DIR] [flags]",
		Short: "Begin an agent: write a manifest, and what belongs to it",
		Long: `Write an agenthost.yaml into a directory, which is the present one unless another is named, with what
belongs to it: .env with the names of keys, which is nobody else's to read, .env.example for others, lines
of .gitignore and, for the scripted model, its rules.

At a terminal it asks what the flags do not say; --yes takes what it would suggest. Without a provider it is
the scripted model, which needs no key and no network: 'agenthost run hello' works at once.

Nothing is overwritten unless --force is given, and a .env never is.`,
		Example: `  agenthost init
  agenthost init helper --yes
  agenthost init helper --provider openai --model gpt-5.2 --tools files --checkpoint sqlite:agent.db --yes`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			if err := a.plan(c.Context(), c, dir, &flags); err != nil {
				return err
			}
			return a.init(dir, &flags)
		},
	}
	c.Flags().StringVar(&flags.Provider, "provider", "", "`openai`, anthropic, gemini or scripted")
	c.Flags().StringVar(&flags.Model, "model", "", "the `name` of the model, as its provider calls it")
	c.Flags().StringVar(&flags.Name, "name", "", "the `name` of the agent (default that of the directory)")
	c.Flags().StringSliceVar(&flags.Tools, "tools", nil, "the tools that it begins with: `files`, or none")
	c.Flags().StringVar(&flags.Checkpoint, "checkpoint", "", "where threads are kept: `sqlite:agent.db`, memory, a PostgreSQL address, or none")
	c.Flags().BoolVarP(&flags.yes, "yes", "y", false, "ask nothing")
	c.Flags().BoolVar(&flags.force, "force", false, "overwrite files that are there")
	_ = c.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(providers(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	_ = c.RegisterFlagCompletionFunc("model", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("tools", cobra.FixedCompletions([]string{"files", none}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// none is what --tools and --checkpoint take for nothing.
const none = "none"

// plan finds out what to write: what the flags leave open is asked at a terminal, or taken as it would be suggested there.
func (a *app) plan(ctx context.Context, c *cobra.Command, dir string, flags *initFlags) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("init: %w", err)}
	}
	asks := a.terminal && !flags.yes
	if !asks && !flags.yes && flags.Provider == "" {
		return &exitError{exitUsage, errors.New("init: this is no terminal to ask at: say --provider PROVIDER, or --yes for a scripted model")}
	}
	name := filepath.Base(absolute)
	if checkName(name) != nil {
		name = "assistant"
	}
	i := &interview{app: a, command: c, asks: asks, answers: prompt.NewLines(a.in)}
	tools := strings.Join(flags.Tools, ",")
	err = i.ask(ctx, "name", "The name of the agent", name, &flags.Name, checkName)
	if err == nil {
		err = i.ask(ctx, "provider", "Its provider: "+strings.Join(providers(), ", "), scriptedProvider, &flags.Provider, checkProvider)
	}
	if err == nil && flags.Provider != scriptedProvider {
		err = i.ask(ctx, "model", "Its model", suggestedModels[flags.Provider], &flags.Model, checkModel)
	}
	if err == nil {
		err = i.ask(ctx, "tools", "Its tools: files (reads those of the directory data), none", "files", &tools, checkTools)
	}
	if err == nil {
		err = i.ask(ctx, "checkpoint", "Where its threads are kept: sqlite:PATH, memory, none", "sqlite:agent.db", &flags.Checkpoint, checkCheckpoint)
	}
	flags.Tools = []string{tools}
	if err == nil && flags.Provider == scriptedProvider && flags.Model != "" {
		err = &exitError{exitUsage, errors.New("init: --model: a scripted model has no name; name a provider by --provider")}
	}
	return err
}

// interview finds out values that are flags, questions to a person, or what is suggested.
type interview struct {
	*app

	command *cobra.Command
	asks    bool // there is a person
	answers *prompt.Lines
}

// ask sets a value. One that a person gave is asked for again if it will not do.
func (i *interview) ask(ctx context.Context, flag, question, suggested string, value *string, check func(string) error) error {
	given := i.command.Flags().Changed(flag)
	for {
		if !given {
			*value = suggested
		}
		if !given && i.asks {
			fmt.Fprintf(i.err, "%s [%s] ", question, terminal.Line(suggested))
			typed, err := i.answers.Next(ctx)
			if err != nil {
				fmt.Fprintln(i.err)
				return &exitError{exitInterrupted, errors.New("init: nothing was written")}
			}
			*value = cmp.Or(strings.TrimSpace(typed), suggested)
		}
		err := check(*value)
		if err == nil {
			return nil
		}
		if given || !i.asks {
			return &exitError{exitUsage, fmt.Errorf("init: --%s: %w", flag, err)}
		}
		fmt.Fprintln(i.err, "  "+terminal.Line(err.Error()))
	}
}

// suggestedModels are models that do well with tools, one of each provider.
var suggestedModels = map[string]string{"openai": "gpt-5.2", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}

const scriptedProvider = "scripted"

// providers are those that an agent may begin with.
func providers() []string { return []string{"openai", "anthropic", "gemini", scriptedProvider} }

func checkName(name string) error {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_", r)
	}) {
		return errors.New("a name has 1 to 64 letters, digits, dashes and underscores")
	}
	return nil
}

func checkProvider(provider string) error {
	if !slices.Contains(providers(), provider) {
		return fmt.Errorf("there is no provider %q; it is one of %s", provider, strings.Join(providers(), ", "))
	}
	return nil
}

func checkModel(name string) error {
	if name == "" || len(name) > 200 || !terminal.IsPlain(name) || strings.Contains(name, "${") {
		return errors.New("the name of a model is needed, as the provider calls it")
	}
	return nil
}

func checkTools(names string) error {
	if names != "files" && names != none {
		return fmt.Errorf("there are no tools %q to begin with; it is files or none", names)
	}
	return nil
}

func checkCheckpoint(address string) error {
	if address == none {
		return nil
	}
	_, err := threadstore.Parse(variables.ReplaceAllString(address, "x"))
	return err
}

// variables are what the manifest expands.
var variables = regexp.MustCompile(`\$\{[^{}]*\}`)

// init writes the plan and says what comes next.
func (a *app) init(dir string, flags *initFlags) error {
	written, err := flags.write(dir, flags.force)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("init: %w", err)}
	}
	file := filepath.Join(dir, manifestFile)
	if _, err := manifest.Load(file, manifest.Options{}); err != nil {
		return &exitError{exitFailed, fmt.Errorf("init: what was written cannot be read: %w", err)}
	}
	for _, path := range written {
		fmt.Fprintln(a.err, "· wrote "+terminal.Line(path))
	}
	var next []string
	if dir != "." {
		next = append(next, "cd "+dir)
	}
	if variable := flags.variable(); variable != "" {
		next = append(next, "put the key "+variable+" into .env", "agenthost doctor --online")
	}
	next = append(next, "agenthost run hello", "agenthost chat")
	fmt.Fprintln(a.err, terminal.Text("\nNext:\n  "+strings.Join(next, "\n  ")))
	return nil
}
