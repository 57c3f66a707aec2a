package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/scaffold"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// pluginNew are the flags of plugin new.
type pluginNew struct {
	language string
	hooks    []string
	sdk      string
}

func (a *app) pluginNewCommand() *cobra.Command {
	var flags pluginNew
	c := &cobra.Command{
		Use:   "new NAME --lang go|tinygo|rust",
		Short: "Begin a plugin: sources, tests, a manifest to try it",
		Long: `Write a plugin project into the new directory NAME: code with a small hook for each that is named,
a unit test, a golden case, a manifest with a scripted model to try it with, and a README.

It uses the SDK of this release. --sdk PATH, or a run inside a checkout of agenthost, uses that of
the checkout. Projects in Go are completed by go mod tidy, which may need the network.`,
		Example: `  agenthost plugin new greeter --lang tinygo
  agenthost plugin new limiter --lang rust --hooks before_model,after_agent
  cd greeter && agenthost plugin build && agenthost plugin test && agenthost run "hello"`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginNew(c.Context(), args[0], &flags) },
	}
	c.Flags().StringVar(&flags.language, "lang", "", "`LANGUAGE`: go, tinygo or rust; tinygo is Go that makes small plugins")
	c.Flags().StringSliceVar(&flags.hooks, "hooks", []string{string(abi.BeforeModel), string(abi.WrapToolCall)}, "the `hooks` it begins with")
	c.Flags().StringVar(&flags.sdk, "sdk", "", "a checkout of agenthost, whose SDK is used: its `PATH`")
	_ = c.MarkFlagRequired("lang") // it exists
	return c
}

func (a *app) pluginNew(ctx context.Context, name string, flags *pluginNew) error {
	p := &scaffold.Project{Name: name, Dir: name, Version: version()}
	var err error
	if p.Language, err = toolchain.Parse(flags.language); err != nil {
		return &exitError{exitUsage, fmt.Errorf("--lang: %w", err)}
	}
	if p.Hooks, err = parseHooks("--hooks", flags.hooks); err != nil {
		return err
	}
	if p.SDK, err = sdkPath(flags.sdk); err != nil {
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
	if p.IsGo() {
		if err := toolchain.Tidy(ctx, p.Dir, a.err); err != nil {
			return buildError(ctx, fmt.Errorf("the project is written, and not complete: %w", err))
		}
	}
	_, err = fmt.Fprintf(a.out, "\nNext:\n  cd %s\n  agenthost plugin build --lang %s\n  agenthost plugin test\n  agenthost run \"hello\"\n", name, p.Language)
	return err
}

// moduleLine is what the go.mod of a checkout begins with.
const moduleLine = "module github.com/agenthost/agenthost"

// sdkPath returns the checkout whose SDK a new project uses, absolute; "" is the release of this binary.
func sdkPath(given string) (string, error) {
	if given != "" {
		path, err := filepath.Abs(given)
		if err == nil && !isCheckout(path) {
			err = errors.New("it is no checkout of agenthost: its go.mod does not say " + moduleLine)
		}
		if err != nil {
			return "", fmt.Errorf("--sdk %s: %w", given, err)
		}
		return path, nil
	}
	if dir, err := os.Getwd(); err == nil {
		for ; ; dir = filepath.Dir(dir) {
			if isCheckout(dir) {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if info, ok := debug.ReadBuildInfo(); !ok || !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "+") {
		return "", errors.New("this agenthost is no release, so it does not know which SDK to use: name a checkout with --sdk PATH")
	}
	return "", nil
}

func isCheckout(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was read
	line, _ := bufio.NewReader(f).ReadString('\n')
	return strings.TrimSpace(line) == moduleLine
}
