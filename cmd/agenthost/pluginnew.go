package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/scaffold"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// pluginNew holds the flags of plugin new.
type pluginNew struct {
	language string
	hooks    []string
	sdk      string
}

// sdkCopy is the value of --sdk that asks for a copy of this binary's SDK.
const sdkCopy = "copy"

func (a *app) pluginNewCommand() *cobra.Command {
	var flags pluginNew
	c := &cobra.Command{
		Use:   "new NAME --lang go|tinygo|rust|ts|js|python",
		Short: "Start a plugin project: sources, tests and an agent to try it",
		Long: `Write a plugin project into the new directory NAME: a small hook for each name in --hooks, with a
unit test and a golden case, a manifest with a scripted model to try the plugin, and a README. A project
in TypeScript (ts), JavaScript (js) or Python needs no other program than agenthost, and has no unit tests.

Where a project in another language gets the SDK from:

  in a checkout of agenthost, or with --sdk PATH   that checkout
  with a released agenthost                        that release, as a Go module or by its Git tag
  with one that 'go install' made of a commit      that commit
  with any other agenthost, or with --sdk copy     a copy in NAME/third_party/agenthost

The last one needs no network for the SDK itself. Compilers still download the SDK's few
dependencies if they are not in the cache of Go or cargo.`,
		Example: `  agenthost plugin new greeter --lang tinygo
  agenthost plugin new policy --lang python
  agenthost plugin new limiter --lang rust --hooks before_model,after_agent
  cd greeter && agenthost plugin build && agenthost plugin test && agenthost run "hello"`,
		Args: arguments("NAME"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginNew(c.Context(), args[0], &flags) },
	}
	c.Flags().StringVar(&flags.language, "lang", "", "the `LANGUAGE`: "+toolchain.Names+"; tinygo is Go with a compiler that makes small plugins")
	c.Flags().StringSliceVar(&flags.hooks, "hooks", []string{string(abi.BeforeModel), string(abi.WrapToolCall)},
		"the `HOOKS` to begin with, separated by commas")
	c.Flags().StringVar(&flags.sdk, "sdk", "", "the `PATH` of a checkout of agenthost whose SDK to use, or copy")
	return c
}

func (a *app) pluginNew(ctx context.Context, name string, flags *pluginNew) error {
	if flags.language == "" {
		return &exitError{exitUsage, errors.New("plugin new: --lang is missing; choose " + toolchain.Names)}
	}
	p := &scaffold.Project{Name: name, Dir: name}
	var err error
	if p.Language, err = toolchain.Parse(flags.language); err != nil {
		return &exitError{exitUsage, fmt.Errorf("--lang: %w", err)}
	}
	if p.Hooks, err = parseHooks("--hooks", flags.hooks); err != nil {
		return err
	}
	if p.SDK, err = chooseSDK(flags.sdk); err != nil {
		return &exitError{exitUsage, err}
	}
	files, err := p.Write()
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("plugin new: %w", err)}
	}
	for _, f := range files {
		if _, err := fmt.Fprintln(a.out, filepath.Join(name, f)); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	if p.IsGo() && p.SDK.Release != "" { // only the network knows the checksum of a release
		if err := toolchain.Tidy(ctx, p.Dir, a.err); err != nil {
			return incomplete(ctx, name, err)
		}
	}
	build := "agenthost plugin build"
	if p.Language.IsScript() {
		build = "agenthost plugin check " + p.File()
	}
	_, err = fmt.Fprintf(a.out, "\nNext:\n  cd %s\n  %s\n  agenthost plugin test\n  agenthost run \"hello\"\n  agenthost dev\n", name, build)
	return err
}

// incomplete explains that a project is written but lacks checksums.
func incomplete(ctx context.Context, dir string, err error) error {
	code := exitFailed
	if _, missing := errors.AsType[*toolchain.MissingError](err); missing {
		code = exitUsage
	} else if ctx.Err() != nil {
		code, err = exitSignal, interrupted()
	}
	return &exitError{code, fmt.Errorf("plugin new: %w; the project is written, but its go.sum lacks the checksums of agenthost; "+
		"run 'go mod tidy' in %s, or start again with --sdk copy", err, dir)}
}

// moduleLine is the first line of a checkout's go.mod.
const moduleLine = "module github.com/agenthost/agenthost"

// chooseSDK returns where a new project gets the SDK from. The flag --sdk, if given, decides.
func chooseSDK(flag string) (scaffold.SDK, error) {
	switch flag {
	case "":
		if dir := enclosingCheckout(); dir != "" {
			return scaffold.SDK{Checkout: dir}, nil
		}
		release, commit := thisBuild().release()
		return scaffold.SDK{Release: release, Commit: commit}, nil
	case sdkCopy:
		return scaffold.SDK{}, nil
	default:
		path, err := filepath.Abs(flag)
		if err == nil && !isCheckout(path) {
			err = errors.New("this is not a checkout of agenthost: its go.mod does not begin with " + moduleLine)
		}
		if err != nil {
			return scaffold.SDK{}, fmt.Errorf("--sdk %s: %w", flag, err)
		}
		return scaffold.SDK{Checkout: path}, nil
	}
}

// enclosingCheckout returns the checkout that the working directory is in, or "".
func enclosingCheckout() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for ; !isCheckout(dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return dir
}

// isCheckout reports whether a directory is a checkout. The copy in a project is not one: it lacks the command.
func isCheckout(dir string) bool {
	content, err := regularfile.Read(filepath.Join(dir, "go.mod"), scaffold.MaxSource)
	if err != nil {
		return false
	}
	line, _, _ := strings.Cut(string(content), "\n")
	_, err = os.Stat(filepath.Join(dir, "cmd", "agenthost"))
	return err == nil && strings.TrimSpace(line) == moduleLine
}
