package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/internal/terminal"
)

// streams are the command's standard input and outputs.
type streams struct {
	in  io.Reader
	out io.Writer // the answer, and nothing else
	err io.Writer

	terminal bool              // in and err are a person's terminal
	hold     func() (_ func()) // keeps Ctrl-C from ending the command while a program has the terminal; nil: nothing does
}

// app is what the subcommands share.
type app struct {
	streams
	file    string
	set     []string
	verbose bool
	asking  *prompt.Prompt // see conversation

	recorder plugin.Recorder // of the plugins that load loads; nil: none
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	var coded *exitError
	if !errors.As(err, &coded) { // cobra's own errors are about usage
		coded = &exitError{exitUsage, fmt.Errorf("%w%s\nRun '%s --help' for usage", err, manifestHint(command), command.CommandPath())}
	}
	if coded.err != nil {
		_, _ = fmt.Fprintln(s.err, terminal.Text("agenthost: "+coded.err.Error()))
	}
	return coded.code
}

// manifestHint says how a manifest is named, to somebody who named one as an argument.
func manifestHint(command *cobra.Command) string {
	if command.Flags().Lookup("file") == nil {
		return ""
	}
	for _, arg := range command.Flags().Args() {
		if extension := filepath.Ext(arg); extension == ".yaml" || extension == ".yml" {
			return fmt.Sprintf("\nA manifest is named by -f: %s -f %s", command.CommandPath(), arg)
		}
	}
	return ""
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "agenthost",
		Short: "Run LLM agents with sandboxed WebAssembly middleware",
		Long: `agenthost runs LLM agents that a manifest (agenthost.yaml) describes: a model, tools,
and middleware around them, native or compiled to WebAssembly and sandboxed.`,
		Example: `  agenthost init
  agenthost doctor
  agenthost chat
  agenthost validate -f agenthost.yaml
  agenthost run -f agenthost.yaml "which errors are in app.log?"
  echo "summarise this" | agenthost run -
  agenthost run --thread ada "write a note"
  agenthost resume ada --approve call-1
  agenthost threads list`,
		Version:           versionLine(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version, commit, ABI version and Go version")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log what happens, on standard error")
	root.AddCommand(a.initCommand(), a.doctorCommand(), a.chatCommand(), a.runCommand(), a.resumeCommand(), a.threadsCommand(), a.validateCommand(),
		a.graphCommand(), a.orderCommand(), a.schemaCommand(), a.mcpCommand(), a.middlewareCommand(), a.pluginCommand(), a.versionCommand(),
		a.compileCommand())
	a.complete(root)
	root.SetHelpTemplate(root.HelpTemplate() + exitCodesHelp)
	return root
}

// group makes a command that only has others below it: alone it shows what there is, and an unknown one is a mistake.
func group(c *cobra.Command) *cobra.Command {
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

// exitCodesHelp stands below every help text.
const exitCodesHelp = `
Exit codes:
  0    done, also when a limit ended the run in good order
  1    the run failed, or its thread or store cannot be used now
  2    usage, configuration, or something that is not there or cannot be loaded
  3    the run is interrupted: it waits for a human, or stopped at a breakpoint
  4    the run failed by a limit
  5    a plugin misbehaved while running
  6    the model's provider failed
  130  stopped by a signal
`

// manifestFlags adds the flags of every command that needs a manifest.
func (a *app) manifestFlags(c *cobra.Command) {
	c.Flags().StringVarP(&a.file, "file", "f", "agenthost.yaml", "the manifest")
	c.Flags().StringArrayVar(&a.set, "set", nil, "change a value of the manifest: `key=value`, such as middleware[0].config.strategy=hash")
}

// load reads the manifest and builds its agent, whose configuration adjust, which may be nil, may change. Whatever goes
// wrong here is a matter of configuration, or of the store.
func (a *app) load(ctx context.Context, options manifest.Options, adjust func(*host.Config)) (*manifest.Agent, error) {
	logger := a.logger()
	options.Set, options.Engine, options.Recorder = a.set, a.engine(logger), a.recorder
	m, err := manifest.Load(a.file, options)
	if err != nil {
		return nil, &exitError{exitUsage, a.named(err)}
	}
	agent, err := m.Build(ctx, logger, adjust)
	if err != nil {
		if ctx.Err() != nil {
			return nil, &exitError{exitInterrupted, errors.New("interrupted")}
		}
		return nil, &exitError{storeExit(err), err}
	}
	return agent, nil
}

// look builds the manifest's agent to look at it: the database of its threads is not opened.
func (a *app) look(ctx context.Context) (*manifest.Agent, error) {
	return a.load(ctx, manifest.Options{InMemory: true}, nil)
}

// named says how to name another manifest, if the error is that there is none.
func (a *app) named(err error) error {
	if missing, ok := errors.AsType[*manifest.NotFoundError](err); ok && missing.Path == a.file {
		return fmt.Errorf("%w; name another with -f FILE", err)
	}
	return err
}

func (a *app) logger() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// engine opens the user's cache of compiled plugins. A plugin that is new is compiled in a process of its own, which has
// limits. Without a cache, plugins are compiled at every start, in this process.
func (a *app) engine(logger *slog.Logger) *plugin.Engine {
	engine, err := func() (*plugin.Engine, error) {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return plugin.NewEngine(plugin.EngineConfig{
			Dir: filepath.Join(dir, "agenthost", "wasm"), Compile: plugin.CompileInChild(self, compileCommand), Contracts: contracts(),
		})
	}()
	if err == nil {
		return engine
	}
	logger.Warn("compiled plugins are not cached", "reason", err)
	engine, _ = plugin.NewEngine(plugin.EngineConfig{Contracts: contracts()}) // fails for nothing but its directory
	return engine
}

// contracts are those that plugins may be written for, beside the ABI's own.
func contracts() []plugin.Contract { return []plugin.Contract{extism.Extism{}} }

// compileCommand is the hidden command that compiles a module: see [plugin.CompileInChild].
const compileCommand = "compile-module"

func (a *app) compileCommand() *cobra.Command {
	return &cobra.Command{
		Use: compileCommand + " DIR", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Compile the module on standard input into a cache",
		RunE: func(c *cobra.Command, args []string) error {
			if err := plugin.CompileHere(c.Context(), args[0], a.in); err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
}
