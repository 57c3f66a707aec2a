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

	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// initFlags holds the flags of init.
type initFlags struct {
	agentPlan

	yes, force bool
}

func (a *app) initCommand() *cobra.Command {
	var flags initFlags
	c := &cobra.Command{
		Use:   "init [DIR] [flags]",
		Short: "Create an agent: write a manifest and the files it needs",
		Long: `Write an agenthost.yaml and the files it needs into DIR, by default the current directory: the schema of
manifests for editors, lines in .gitignore, a file for the file tools to read and, for a scripted model, its
rules. A provider's key goes into .env, which only you can read; .env.example is for others.

At a terminal, init asks for everything that the flags leave open; --yes takes the suggested answers. The
suggested provider is a scripted model, which needs no key and no network: 'agenthost run hello' works at
once.

If one of the files already exists, init writes nothing unless you add --force. It never overwrites a .env.`,
		Example: `  agenthost init
  agenthost init helper --yes
  agenthost init helper --provider openai --model gpt-5.2 --tools files --checkpoint sqlite:agent.db --yes`,
		Args: atMost(1),
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
	c.Flags().StringVar(&flags.Provider, "provider", "", "the `PROVIDER` of the model: openai, anthropic, gemini or scripted")
	c.Flags().StringVar(&flags.Model, "model", "", "the `NAME` of the model at its provider")
	c.Flags().StringVar(&flags.Name, "name", "", "the `NAME` of the agent (default: the name of the directory)")
	c.Flags().StringSliceVar(&flags.Tools, "tools", nil, "the `TOOLS` to start with: files or none")
	c.Flags().StringVar(&flags.Checkpoint, "checkpoint", "",
		"the `ADDRESS` of the store of threads: sqlite:PATH, memory, postgres://USER@HOST/DATABASE, or none")
	c.Flags().BoolVarP(&flags.yes, "yes", "y", false, "ask nothing and take the suggested answers")
	c.Flags().BoolVar(&flags.force, "force", false, "overwrite existing files")
	_ = c.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(providers(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	_ = c.RegisterFlagCompletionFunc("model", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("tools", cobra.FixedCompletions([]string{"files", none}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// none is the value of --tools and --checkpoint for no tools and no store.
const none = "none"

// plan completes the flags: it asks for the missing values at a terminal, and takes the suggested ones elsewhere.
func (a *app) plan(ctx context.Context, c *cobra.Command, dir string, flags *initFlags) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("init: %w", err)}
	}
	asks := a.terminal && !flags.yes
	if !asks && !flags.yes && flags.Provider == "" {
		return &exitError{exitUsage, errors.New("init: there is no terminal to ask at; choose a provider with --provider, or add --yes for a scripted model")}
	}
	name := filepath.Base(absolute)
	if checkName(name) != nil {
		name = "assistant"
	}
	i := &interview{app: a, command: c, asks: asks, answers: prompt.NewLines(a.in)}
	tools := strings.Join(flags.Tools, ",")
	err = i.ask(ctx, "name", "Name of the agent", name, &flags.Name, checkName)
	if err == nil {
		err = i.ask(ctx, "provider", "Provider of its model: "+strings.Join(providers(), ", "), scriptedProvider, &flags.Provider, checkProvider)
	}
	if err == nil && flags.Provider != scriptedProvider {
		err = i.ask(ctx, "model", "Name of the model", suggestedModels[flags.Provider], &flags.Model, checkModel)
	}
	if err == nil {
		err = i.ask(ctx, "tools", "Tools: files (to read the files in data), none", "files", &tools, checkTools)
	}
	if err == nil {
		err = i.ask(ctx, "checkpoint", "Where to keep threads: sqlite:PATH, memory, none", "sqlite:agent.db", &flags.Checkpoint, checkCheckpoint)
	}
	flags.Tools = []string{tools}
	if err == nil && flags.Provider == scriptedProvider && flags.Model != "" {
		err = &exitError{exitUsage, errors.New("init: --model: a scripted model has no name; choose a provider with --provider, or leave --model out")}
	}
	return err
}

// interview finds values: in flags, by asking a person, or from suggestions.
type interview struct {
	*app

	command *cobra.Command
	asks    bool // whether there is a person to ask
	answers *prompt.Lines
}

// ask sets a value. If a person types an invalid one, it asks again.
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
				return &exitError{exitSignal, errors.New("init: nothing was written")}
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

// suggestedModels holds one model of each provider that works well with tools.
var suggestedModels = map[string]string{"openai": "gpt-5.2", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}

const scriptedProvider = "scripted"

// providers returns the providers to choose from.
func providers() []string { return []string{"openai", "anthropic", "gemini", scriptedProvider} }

func checkName(name string) error {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_", r)
	}) {
		return errors.New("a name consists of 1 to 64 letters, digits, dashes and underscores")
	}
	return nil
}

func checkProvider(provider string) error {
	if !slices.Contains(providers(), provider) {
		return fmt.Errorf("there is no provider %q; choose one of %s", provider, strings.Join(providers(), ", "))
	}
	return nil
}

func checkModel(name string) error {
	if name == "" || len(name) > 200 || !terminal.IsPlain(name) || strings.Contains(name, "${") {
		return errors.New("the model needs a name; use the provider's own, such as gpt-5.2")
	}
	return nil
}

func checkTools(names string) error {
	if names != "files" && names != none {
		return fmt.Errorf("there are no tools %q to start with; choose files or none", names)
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

// variables matches the references to environment variables in a manifest.
var variables = regexp.MustCompile(`\$\{[^{}]*\}`)

// init writes the files and prints the next steps.
func (a *app) init(dir string, flags *initFlags) error {
	written, err := flags.write(dir, flags.force)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("init: %w", err)}
	}
	file := filepath.Join(dir, manifestFile)
	if _, err := manifest.Load(file, manifest.Options{}); err != nil {
		return &exitError{exitFailed, fmt.Errorf("init: the new manifest cannot be read: %w", err)}
	}
	for _, path := range written {
		fmt.Fprintln(a.err, "· wrote "+terminal.Line(path))
	}
	var next []string
	if dir != "." {
		next = append(next, "cd "+dir)
	}
	if variable := flags.variable(); variable != "" {
		next = append(next, "write your key into .env, as "+variable, "agenthost doctor --online")
	}
	next = append(next, "agenthost run hello", "agenthost chat")
	fmt.Fprintln(a.err, terminal.Text("\nNext:\n  "+strings.Join(next, "\n  ")))
	return nil
}
