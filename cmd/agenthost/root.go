package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/telemetry"
)

// streams are the standard streams of the command.
type streams struct {
	in  io.Reader
	out io.Writer // the answer, and nothing else
	err io.Writer

	terminal bool                              // whether in and err are a terminal with a person
	watched  bool                              // whether out and err are a terminal, so that answers show as they arrive
	hold     func() (_ func())                 // keeps Ctrl-C from ending the command while another program has the terminal; may be nil
	during   func(yield func()) (ended func()) // see [stopper.during]; may be nil
	logins   oauth.Store                       // keeps logins to MCP servers; nil: the user's keyring, or files in the user's directory for configuration
	browse   func(string) error                // opens an address in the user's browser; nil: the machine's default
}

// app holds what the subcommands share.
type app struct {
	streams
	file    string
	set     []string
	typed   [2]string // the first of set as problems name it, and as the person has typed it; "": it was --set
	verbose bool
	prompt  *prompt.Prompt // made by conversation

	recorder plugin.Recorder // records the plugins that load loads; may be nil
	watch    *usedVariables  // is told the variables that doctor looks up; may be nil

	telemetry *telemetry.Telemetry // records what agents do; nil: nothing does
	recorded  bool                 // record was called

	unknown error // of a help flag after a command that does not exist

	showsEvents bool // events of runs are shown to the person who reads the log
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s}
	defer func() {
		if err := a.telemetry.Close(); err != nil {
			a.logger().Warn("not all telemetry was sent", "error", err)
		}
	}()
	root := a.root()
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.unknown
	}
	if err == nil {
		return exitOK
	}
	var coded *exitError
	if !errors.As(err, &coded) { // cobra itself only reports usage errors
		coded = &exitError{exitUsage, errortext.Advise(err, append(manifestHint(command), fmt.Sprintf("Run '%s --help' for usage", helpOf(command)))...)}
	}
	if coded.err != nil {
		_, _ = fmt.Fprintln(s.err, "agenthost: "+errortext.Of(coded.err))
	}
	return coded.code
}

// helpOf returns the path of the command whose help explains a usage error: for the command help, of the one above.
func helpOf(command *cobra.Command) string {
	if command.Name() == "help" && command.HasParent() {
		command = command.Parent()
	}
	return command.CommandPath()
}

// manifestHint explains -f to a user who passed a manifest as an argument.
func manifestHint(command *cobra.Command) []string {
	if command.Flags().Lookup(manifestFlag) == nil {
		return nil
	}
	for _, arg := range command.Flags().Args() {
		if extension := filepath.Ext(arg); extension == ".yaml" || extension == ".yml" {
			return []string{fmt.Sprintf("To name the manifest, use -f: %s -f %s", command.CommandPath(), terminal.Line(arg))}
		}
	}
	return nil
}

func (a *app) root() *cobra.Command {
	root := group(&cobra.Command{
		Use:   "agenthost",
		Short: "Run LLM agents with sandboxed WebAssembly middleware",
		Long: `agenthost runs LLM agents. A manifest, agenthost.yaml, describes an agent: its model, its tools, and
the middleware around them. Middleware is either built in or a sandboxed WebAssembly plugin.

Start with 'agenthost init', which writes a manifest. The documents that help texts name, such as
docs/manifest.md, are at https://github.com/agenthost/agenthost.`,
		Example: `  agenthost init
  agenthost doctor
  agenthost chat
  agenthost run "which errors are in app.log?"
  echo "summarise this" | agenthost run -
  agenthost run --thread ada "write a note"
  agenthost resume ada --approve call-1`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	})
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagError)
	root.Flags().Bool("version", false, "print the version, commit, ABI version and Go version")
	root.RunE = func(c *cobra.Command, _ []string) error {
		asked, err := c.Flags().GetBool("version")
		if err != nil {
			return err
		}
		if !asked {
			return c.Help()
		}
		_, err = fmt.Fprintln(c.OutOrStdout(), versionLine())
		return err
	}
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log details to standard error")
	root.AddCommand(a.initCommand(), a.doctorCommand(), a.diagnosticsCommand(), a.chatCommand(), a.runCommand(), a.resumeCommand(), a.threadsCommand(),
		a.validateCommand(), a.configCommand(),
		a.graphCommand(), a.orderCommand(), a.schemaCommand(), a.serveCommand(), a.devCommand(), a.studioCommand(), a.mcpCommand(), a.acpCommand(),
		a.loginCommand(), a.logoutCommand(),
		a.testCommand(), a.evalCommand(), a.checkCommand(), a.traceCommand(), a.topCommand(),
		a.middlewareCommand(), a.pluginCommand(), a.agentCommand(), a.versionCommand(),
		a.compileCommand())
	completeDefaults(root)
	a.complete(root)
	help := root.HelpFunc()
	root.SetHelpFunc(a.helpUnless(func(c *cobra.Command, args []string) {
		help(c, args)
		fmt.Fprint(c.OutOrStdout(), exitCodesHelp)
	}))
	return root
}

// helpUnless returns a function that prints the help of a command by show, unless the command line names an unknown subcommand, as in
// "threads frok --help": cobra would print the help of the group and succeed.
func (a *app) helpUnless(show func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		if rest := c.Flags().Args(); len(rest) > 0 && c.HasAvailableSubCommands() {
			a.unknown = unknownCommand(c, rest[0])
			return
		}
		show(c, args)
	}
}

// group makes a command that only has subcommands. Alone it prints its help; an unknown subcommand is a usage error.
func group(c *cobra.Command) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

// fleetCommands are the commands of agenthost-fleet that this command lacks.
var fleetCommands = []string{"worker", "promote"}

// unknownCommand says that a command has no subcommand of this name, and suggests a similar one.
func unknownCommand(c *cobra.Command, name string) error {
	subject := commandSubject(c)
	if !c.HasAvailableSubCommands() {
		return fmt.Errorf("%sthe command has no subcommands; remove %q", subject, name)
	}
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(append(names, below.Name()), below.Aliases...)
		}
	}
	if !c.HasParent() && slices.Contains(fleetCommands, name) {
		return fmt.Errorf("%q is a command of agenthost-fleet, which runs agents on Temporal; see docs/fleet.md", name)
	}
	if near, ok := text.Nearest(name, names); ok {
		return fmt.Errorf("%sthere is no command %q; did you mean %q?", subject, name, near)
	}
	return fmt.Errorf("%sthere is no command %q", subject, name)
}

// completeDefaults makes cobra's own commands, help and completion, refuse names that do not exist.
func completeDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			group(c)
			for _, shell := range c.Commands() {
				shell.Args = noArguments
			}
		case "help":
			c.Short, c.Long = "Show help about a command", "Show help about a command, such as 'agenthost help plugin check'."
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil {
					return err
				}
				if len(rest) > 0 {
					return unknownCommand(about, rest[0])
				}
				about.InitDefaultHelpFlag()
				return about.Help()
			}
		}
	}
}

// exitCodesHelp ends every help text.
const exitCodesHelp = `
Exit codes:
  0    success, including a run that a limit ended with an answer
  1    the run failed, or its thread or store is not available at the moment
  2    wrong usage or configuration, or something is missing or cannot be loaded
  3    the run is interrupted: it waits for a person or stopped at a breakpoint
  4    a limit stopped the run
  5    a plugin failed: it was refused, misbehaved, or did not do what was expected
  6    the model's provider failed
  130  stopped by a signal
`

// manifestFlags adds the flags of every command that needs a manifest.
func (a *app) manifestFlags(c *cobra.Command) {
	a.addFile(c, false)
	c.PreRunE = func(c *cobra.Command, _ []string) error { return a.locate(c) }
	c.Flags().StringArrayVar(&a.set, "set", nil, "override a value of the manifest: `KEY=VALUE`, such as middleware[0].config.strategy=hash; may be repeated")
}

// load reads the manifest and builds its agent. If adjust is not nil, it may change the agent's configuration first. Errors
// are about the configuration or the store.
func (a *app) load(ctx context.Context, options manifest.Options, adjust func(*host.Config)) (*manifest.Agent, error) {
	if !options.InMemory {
		a.recordIfAsked(ctx)
	}
	logger := a.logger()
	m, err := a.read(a.file, options, logger)
	if err != nil {
		return nil, &exitError{exitUsage, a.withManifestHint(err)}
	}
	agent, err := m.Build(ctx, logger, adjust)
	if err != nil {
		if ctx.Err() != nil {
			return nil, interrupted()
		}
		return nil, &exitError{storeExit(err), err}
	}
	return agent, nil
}

// read reads a manifest, with the options that all commands share. Without an engine in the options, it gets one of its own.
func (a *app) read(file string, options manifest.Options, logger *slog.Logger) (*manifest.Manifest, error) {
	options.Set, options.Recorder, options.Logins, options.Tracer = a.set, a.recorder, a.loginStore(logger), a.telemetry.Tracer()
	if options.Engine == nil {
		options.Engine = a.engine(logger)
	}
	if a.terminal {
		options.Waiting = a.waitingFor
	}
	return manifest.Load(file, options)
}

// waitingFor tells the person at the terminal why nothing happens yet.
func (a *app) waitingFor(servers []string) {
	fmt.Fprintf(a.err, "· waiting for MCP servers: %s\n", terminal.Lines(servers))
}

// look builds the manifest's agent without opening the database of its threads.
func (a *app) look(ctx context.Context) (*manifest.Agent, error) {
	return a.load(ctx, manifest.Options{InMemory: true}, nil)
}

// withManifestHint adds how to name or write a manifest to the error that there is none. Problems name what the person has typed.
func (a *app) withManifestHint(err error) error {
	if wrong, ok := errors.AsType[*strictyaml.Error](err); ok && a.typed[0] != "" {
		for i := range wrong.Problems {
			if p := &wrong.Problems[i]; p.File == a.typed[0] {
				p.File = a.typed[1]
			}
		}
	}
	if missing, ok := errors.AsType[*manifest.NotFoundError](err); ok && missing.Path == a.file {
		return fmt.Errorf("%w; name another one with -f FILE, or write one with 'agenthost init'", err)
	}
	return err
}

// engine opens the user's cache of compiled plugins. A new plugin is compiled in a child process with limits. Without a
// cache, this process compiles plugins at every start.
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
			Dir: filepath.Join(dir, "agenthost", "wasm"), Compile: a.telling(plugin.CompileInChild(self, compileCommand)),
			Contracts: contracts(), Loaders: loaders(),
		})
	}()
	if err == nil {
		return engine
	}
	logger.Warn("compiled plugins cannot be cached; every start compiles them again", "reason", err)
	engine, _ = plugin.NewEngine(plugin.EngineConfig{Contracts: contracts(), Loaders: loaders()}) // only a directory can make it fail
	return engine
}

// largeModule is the size in bytes from which a module takes seconds to compile.
const largeModule = 4 << 20

// telling returns a CompileFunc that tells the person at the terminal why nothing happens yet.
func (a *app) telling(compile plugin.CompileFunc) plugin.CompileFunc {
	if !a.terminal {
		return compile
	}
	return func(ctx context.Context, dir string, module []byte) error {
		if len(module) >= largeModule {
			fmt.Fprintf(a.err, "· compiling a plugin of %d MiB; the result is kept for later starts\n", len(module)>>20)
		}
		return compile(ctx, dir, module)
	}
}

// contracts returns the contracts that plugins may be written for besides the ABI itself.
func contracts() []plugin.Contract { return []plugin.Contract{extism.Extism{}} }

// loaderOf returns the loader for a plugin's path, or nil if the path is that of a module.
func loaderOf(path string) plugin.Loader {
	for _, l := range loaders() {
		if l.Loads(path) {
			return l
		}
	}
	return nil
}

// compileCommand is the name of the hidden command that compiles a module: see [plugin.CompileInChild].
const compileCommand = "compile-module"

func (a *app) compileCommand() *cobra.Command {
	return &cobra.Command{
		Use: compileCommand + " DIR", Hidden: true, Args: arguments("DIR"),
		Short: "Compile the module on standard input into a cache",
		RunE: func(c *cobra.Command, args []string) error {
			if err := plugin.CompileHere(c.Context(), args[0], a.in); err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
}
