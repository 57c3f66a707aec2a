package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
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
suggested provider is one that works at once: a server whose address is in the environment, such as
OLLAMA_HOST, or a provider whose key is, such as OPENROUTER_API_KEY, or an Ollama or LM Studio that runs on
this machine. If there is none, it is a scripted model, which needs no key and no network.

If one of the files already exists, init writes nothing unless you add --force. It never overwrites a .env.`,
		Example: `  agenthost init
  agenthost init helper --yes --provider scripted
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
	c.Flags().StringVar(&flags.Provider, "provider", "", "the `PROVIDER` of the model, such as openai, ollama or scripted")
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
		return &exitError{exitUsage, errors.New("init: there is no terminal to ask at; choose a provider with --provider, or add --yes for the suggested one")}
	}
	name := filepath.Base(absolute)
	if checkName(name) != nil {
		name = "assistant"
	}
	i := &interview{app: a, command: c, asks: asks, answers: prompt.NewLines(a.in)}
	tools := strings.Join(flags.Tools, ",")
	found := detected{provider: flags.Provider}
	if !c.Flags().Changed("provider") {
		found = detect(ctx)
	}
	for _, passed := range found.passed {
		if !asks { // a person chooses from all providers
			fmt.Fprintln(a.err, "· "+terminal.Line(passed))
		}
	}
	err = i.ask(ctx, "name", "Name of the agent", name, &flags.Name, checkName)
	if err == nil {
		err = i.ask(ctx, "provider", "Provider of its model: "+strings.Join(providers(), ", "), found.provider, &flags.Provider, checkProvider)
	}
	if err == nil && flags.Provider != scriptedProvider {
		flags.Provider = canonical(flags.Provider)
		err = i.ask(ctx, "model", "Name of the model", suggestedModel(ctx, flags.Provider, found), &flags.Model, checkModel)
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

// suggestedModels holds one model of each provider that works well with tools. A server that runs has a better answer.
var suggestedModels = map[string]string{
	"openai": "gpt-5.2", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash",
	"deepseek": "deepseek-chat", "fireworks": "accounts/fireworks/models/deepseek-v3p1", "groq": "openai/gpt-oss-120b", "litellm": "gpt-5.2",
	"lmstudio": "qwen/qwen3-8b", "mistralai": "mistral-large-latest", "ollama": "qwen3:8b", "openrouter": "anthropic/claude-haiku-4.5",
	"together": "Qwen/Qwen3-235B-A22B-Instruct-2507-tput", "vllm": "Qwen/Qwen3-8B", "xai": "grok-4",
	"bedrock": "anthropic.claude-sonnet-4-5-20250929-v1:0", "google_vertexai": "gemini-2.5-flash",
	"google_anthropic_vertex": "claude-sonnet-4-5@20250929", "azure_openai": "gpt-5.2",
}

// suggestedModel returns a model of the provider: one that its server has, if it is a server of one's own that runs.
func suggestedModel(ctx context.Context, provider string, found detected) string {
	models := found.models
	if provider != found.provider || models == nil {
		if p := providerNamed(provider); p.KeyOptional {
			models, _ = modelsAt(ctx, provider) // doctor reports the error
		}
	}
	if len(models) > 0 {
		return models[0]
	}
	if provider == "bedrock" {
		return profileOf(cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))) + suggestedModels[provider]
	}
	return suggestedModels[provider]
}

// profileOf returns what the name of a model of Bedrock begins with: which inference profile serves a region. Europe and the United States have
// profiles that keep requests there.
func profileOf(region string) string {
	switch place, _, _ := strings.Cut(region, "-"); place {
	case "eu", "us":
		return place + "."
	default:
		return "global."
	}
}

const scriptedProvider = "scripted"

// providers returns the providers to choose from.
func providers() []string {
	var names []string
	for _, p := range manifest.Providers() {
		names = append(names, p.Name)
	}
	return append(names, scriptedProvider)
}

// providerNamed returns the provider with a name or an alias, and the zero value for the scripted one.
func providerNamed(name string) manifest.Provider {
	for _, p := range manifest.Providers() {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return p
		}
	}
	return manifest.Provider{}
}

func canonical(provider string) string { return cmp.Or(providerNamed(provider).Name, provider) }

func checkName(name string) error {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_", r)
	}) {
		return errors.New("a name consists of 1 to 64 letters, digits, dashes and underscores")
	}
	return nil
}

func checkProvider(provider string) error {
	if !slices.Contains(providers(), canonical(provider)) {
		if near, ok := text.Nearest(provider, providers()); ok {
			return fmt.Errorf("there is no provider %q; did you mean %q?", provider, near)
		}
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
	_, err := threadstore.Parse(variables().ReplaceAllString(address, "x"))
	return err
}

// variables matches the references to environment variables in a manifest.
var variables = lazyregexp.New(`\$\{[^{}]*\}`)

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
	of := providerNamed(flags.Provider)
	switch variable := flags.variable(); {
	case of.Cloud:
		next = append(next, "agenthost doctor --online")
	case variable != "" && !slices.ContainsFunc(of.KeyVariables, isSet):
		next = append(next, "write your key into .env, as "+variable, "agenthost doctor --online")
	}
	next = append(next, "agenthost run hello", "agenthost chat")
	fmt.Fprintln(a.err, terminal.Text("\nNext:\n  "+strings.Join(next, "\n  ")))
	return nil
}
