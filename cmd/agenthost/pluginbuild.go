package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// pluginBuild holds the flags of plugin build.
type pluginBuild struct {
	language string
	output   string
	debug    bool
}

func (a *app) pluginBuildCommand() *cobra.Command {
	var flags pluginBuild
	c := &cobra.Command{
		Use:   "build [DIR] [flags]",
		Short: "Build a plugin with the compiler flags it needs",
		Long: `Build the plugin with sources in DIR, by default the current directory, and check that it loads. The
commands are

  tinygo  $TINYGO build -target=wasip1 -buildmode=c-shared -scheduler=none -opt=z -no-debug
  go      GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -ldflags='-s -w'
  rust    cargo build --release --target wasm32-unknown-unknown, with a stack of 64 KiB unless the
          project sets -zstack-size itself

Without --lang, the file plugin.yaml in DIR names it with the key language. 'agenthost plugin new' writes
that file. Without that file, a Cargo.toml is built with cargo, and for Go files you must choose. The
compilers must be on PATH; $TINYGO may name the TinyGo program, and $TINYGOROOT its directory.

The exit code is 1 if the compiler fails, 2 if it is missing or the directory has no plugin, and 5 if the
result does not load.`,
		Example: `  agenthost plugin build
  agenthost plugin build ./redact -o redact.wasm
  agenthost plugin build ./redact --lang go`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return a.pluginBuild(c.Context(), dir, &flags)
		},
	}
	c.Flags().StringVar(&flags.language, "lang", "", "the `LANGUAGE` and compiler: tinygo, go or rust")
	c.Flags().StringVarP(&flags.output, "output", "o", "", "the `FILE` to write (default: DIR/NAME.wasm, where NAME is the name of the directory)")
	c.Flags().BoolVar(&flags.debug, "debug", false, "keep debug information; 'agenthost plugin pack' removes it")
	return c
}

func (a *app) pluginBuild(ctx context.Context, dir string, flags *pluginBuild) error {
	var language toolchain.Language
	var err error
	if flags.language != "" {
		if language, err = toolchain.Parse(flags.language); err != nil {
			return &exitError{exitUsage, fmt.Errorf("--lang: %w", err)}
		}
	} else if language, err = toolchain.Detect(dir); err != nil {
		return &exitError{exitUsage, fmt.Errorf("plugin build: %w", err)}
	}
	build := toolchain.Build{Dir: dir, Output: flags.output, Debug: flags.debug, Log: a.err}
	file, err := build.Run(ctx, language)
	if err != nil {
		return buildError(ctx, err)
	}
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process is about to end
	in := author.Inspect(ctx, plugin.Wasm{Path: file, Engine: engine})
	if ctx.Err() != nil {
		return interrupted()
	}
	if !in.OK {
		return &exitError{exitPlugin, fmt.Errorf("plugin build: %s was built with %s but does not load: %s: %s", file, language, in.Stage, in.Message)}
	}
	if flags.debug { // the user asked for it
		in.Warnings = slices.DeleteFunc(in.Warnings, func(w author.Warning) bool { return w.Code == author.WarnDebug })
	}
	return a.printBuilt(in, language)
}

// buildError adds the exit code to an error of a compiler.
func buildError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return interrupted()
	}
	err = fmt.Errorf("plugin build: %w", err)
	if failed, ok := errors.AsType[*toolchain.FailedError](err); ok {
		return &exitError{exitFailed, fmt.Errorf("%w; see its messages above", failed)}
	}
	return &exitError{exitUsage, err}
}

func (a *app) printBuilt(in *author.Inspection, language toolchain.Language) error {
	var hooks []string
	for _, name := range abi.Hooks() {
		if in.Described.Hooks.Spec(name) != nil {
			hooks = append(hooks, string(name))
		}
	}
	if len(hooks) == 0 {
		hooks = []string{"none"}
	}
	if _, err := fmt.Fprintf(a.out, "%s: %s %s, built with %s, %d bytes\n  sha256 %s\n  hooks  %s\n", terminal.Line(in.File), terminal.Line(in.Described.Name),
		terminal.Line(in.Described.Version), language, in.Module.Size, in.SHA256, strings.Join(hooks, ", ")); err != nil {
		return err
	}
	for _, warning := range in.Warnings {
		fmt.Fprintln(a.err, "warning: "+terminal.Line(warning.Text))
	}
	return nil
}
