package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// toolTime is the time limit for a compiler to print its version.
const toolTime = 10 * time.Second

// compiler is a program that builds plugins.
type compiler struct {
	subject, program string
	arguments        []string
	least            string // the oldest version that will do
	remedy           string
}

// toolchains checks the compilers that build plugins. Only authors of plugins need them.
func (d *doctor) toolchains(ctx context.Context) {
	tinygo := os.Getenv("TINYGO")
	if root := os.Getenv("TINYGOROOT"); tinygo == "" && root != "" {
		tinygo = filepath.Join(root, "bin", "tinygo")
	}
	const (
		small = "to build small plugins in Go, install TinyGo from https://tinygo.org/getting-started/install"
		rust  = "to build plugins in Rust, install it from https://rustup.rs"
	)
	for _, c := range []compiler{
		{"go", "go", []string{"version"}, toolchain.MinGo, "to build plugins in Go, install it from https://go.dev/dl"},
		{"tinygo", cmp.Or(tinygo, "tinygo"), []string{"version"}, toolchain.MinTinyGo, small},
		{"rustc", cmp.Or(os.Getenv("RUSTC"), "rustc"), []string{"--version"}, toolchain.MinRust, rust},
	} {
		said, err := c.run(ctx)
		if ctx.Err() != nil {
			return
		}
		if missing, ok := errors.AsType[*toolchain.MissingError](err); ok {
			d.note(c.subject, missing.What+" is missing", "to build plugins in Rust, "+missing.Remedy)
			continue
		}
		if err != nil {
			d.note(c.subject, fmt.Sprintf("%s cannot be run: %v", c.program, err), c.remedy)
			continue
		}
		if c.isOlder(said) {
			d.note(c.subject, fmt.Sprintf("%s; plugins need %s or later", terminal.Line(said), c.least), c.remedy)
			continue
		}
		d.okf(c.subject, "%s", terminal.Line(said))
		if c.subject == "rustc" {
			d.rustTarget(ctx, c)
		}
	}
}

// versionNumber matches the number in what a compiler says of its version.
var versionNumber = lazyregexp.New(`(\d+)\.(\d+)`)

// isOlder reports whether a compiler says that it is older than the oldest version that will do.
func (c *compiler) isOlder(said string) bool {
	given, least := versionNumber().FindStringSubmatch(said), versionNumber().FindStringSubmatch(c.least)
	if given == nil || least == nil {
		return false
	}
	for i := range 2 {
		is, _ := strconv.Atoi(given[i+1]) // too long a number is 0, and no version
		if must, _ := strconv.Atoi(least[i+1]); is != must {
			return is < must
		}
	}
	return false
}

// rustTarget checks that Rust can build for WebAssembly.
func (d *doctor) rustTarget(ctx context.Context, c compiler) {
	const target = "wasm32-unknown-unknown"
	c.arguments = []string{"--print", "target-libdir", "--target", target}
	said, err := c.run(ctx)
	if err != nil {
		d.note("rust target", fmt.Sprintf("%s --print target-libdir failed: %v", c.program, err), c.remedy)
		return
	}
	if libraries, _ := filepath.Glob(filepath.Join(said, "libstd-*.rlib")); len(libraries) == 0 {
		d.note("rust target", target+" is missing", "to build plugins in Rust, install it: rustup target add "+target)
		return
	}
	d.okf("rust target", target)
}

// maxComplaint is how much of a compiler's standard error is shown, in bytes.
const maxComplaint = 2000

// run returns the first line that the compiler prints. The error has what it printed on its standard error.
func (c *compiler) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	command := exec.CommandContext(ctx, c.program, c.arguments...) //nolint:gosec // the user's own compilers
	var said, complaint bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaint
	command.WaitDelay = time.Second
	if err := command.Run(); err != nil {
		if what, remedy := toolchain.WithoutToolchain(complaint.String()); what != "" {
			return "", &toolchain.MissingError{Language: toolchain.Rust, What: what, Remedy: "run: " + remedy}
		}
		if printed := strings.TrimSpace(complaint.String()); printed != "" {
			return "", fmt.Errorf("%w: %s", err, text.Head(printed, maxComplaint))
		}
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	return line, nil
}
