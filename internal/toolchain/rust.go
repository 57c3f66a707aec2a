package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/regularfile"
)

const rustTarget = "wasm32-unknown-unknown"

// rustStack sets the stack to 64 KiB. The linker's default would take 1 MiB of each instance's memory.
const rustStack = "link-arg=-zstack-size=65536"

// The sizes of the largest files that are read, in bytes: cargo's configuration, and a module, which may have debug information.
const (
	maxConfig   = 1 << 20
	maxArtifact = 512 << 20
)

// rust builds with cargo.
func (b *Build) rust(ctx context.Context) error {
	cargo, err := find("cargo")
	if err != nil {
		return &MissingError{Rust, "cargo", "Install Rust " + MinRust + " or later from https://rustup.rs, and its target: rustup target add " + rustTarget}
	}
	if err := b.checkRustTarget(ctx); err != nil {
		return err
	}
	var said bytes.Buffer
	t := &tool{
		path: cargo, stdout: &said,
		args: []string{"build", "--release", "--target", rustTarget, "--message-format=json-render-diagnostics"},
	}
	if !b.setsStack() {
		// RUSTFLAGS overrides the flags of configuration files, while --config adds to them.
		if flags := os.Getenv("RUSTFLAGS"); flags != "" {
			t.environment = append(t.environment, "RUSTFLAGS="+flags+" -C "+rustStack)
		} else {
			t.args = append(t.args, "--config", "target."+rustTarget+`.rustflags=["-C", "`+rustStack+`"]`)
		}
	}
	if b.Debug {
		t.environment = append(t.environment, "CARGO_PROFILE_RELEASE_DEBUG=true")
	}
	if err := b.do(ctx, t); err != nil {
		return err
	}
	return b.takeArtifact(said.Bytes())
}

// checkRustTarget reports a compiler that lacks the target's standard library.
func (b *Build) checkRustTarget(ctx context.Context) error {
	rustc, err := find(cmp.Or(os.Getenv("RUSTC"), "rustc"))
	if err != nil {
		return &MissingError{Rust, "rustc", "Install Rust from https://rustup.rs; if $RUSTC is set, let it name the compiler."}
	}
	var said, complaint bytes.Buffer
	t := &tool{path: rustc, args: []string{"--print", "target-libdir", "--target", rustTarget}, stdout: &said, stderr: &complaint}
	if err := b.do(ctx, t); err != nil {
		if what, command := WithoutToolchain(complaint.String()); what != "" {
			return &MissingError{Rust, what, "Run: " + command}
		}
		if b.Log != nil {
			_, _ = b.Log.Write(complaint.Bytes()) // a log that cannot be written to is no reason for another error
		}
		return err
	}
	if libraries, _ := filepath.Glob(filepath.Join(strings.TrimSpace(said.String()), "libstd-*.rlib")); len(libraries) == 0 {
		return &MissingError{Rust, "Rust's target " + rustTarget, "Install it: rustup target add " + rustTarget}
	}
	return nil
}

// notInstalled matches what rustup prints about a toolchain that is chosen and not there.
var notInstalled = lazyregexp.New(`toolchain '([A-Za-z0-9._-]+)' is not installed`)

// WithoutToolchain returns what is missing, and the command that mends it, if rustup printed the complaint because it has no toolchain to
// run. Otherwise it returns empty strings. rustup itself adds a stack trace of many lines.
func WithoutToolchain(complaint string) (what, command string) {
	chosen := notInstalled().FindStringSubmatch(complaint)
	switch {
	case chosen != nil:
		return "Rust's toolchain " + chosen[1], "rustup toolchain install " + chosen[1]
	case strings.Contains(complaint, "rustup") && strings.Contains(complaint, "no default"):
		return "rustup's default toolchain", "rustup default stable"
	default:
		return "", ""
	}
}

// setsStack reports whether the project or the user sets a stack size.
func (b *Build) setsStack() bool {
	if strings.Contains(os.Getenv("RUSTFLAGS"), "stack-size") {
		return true
	}
	files := []string{filepath.Join(b.Dir, "build.rs")}
	if home := os.Getenv("CARGO_HOME"); home != "" {
		files = append(files, filepath.Join(home, "config.toml"))
	}
	for dir := b.Dir; ; dir = filepath.Dir(dir) {
		files = append(files, filepath.Join(dir, ".cargo", "config.toml"), filepath.Join(dir, ".cargo", "config"))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return slices.ContainsFunc(files, func(file string) bool {
		content, err := regularfile.Read(file, maxConfig)
		return err == nil && bytes.Contains(content, []byte("stack-size"))
	})
}

// takeArtifact copies the module that cargo built to the output. said is cargo's output, which names each file in a line of JSON.
func (b *Build) takeArtifact(said []byte) error {
	var made []string
	for line := range bytes.Lines(said) {
		var message struct {
			Reason    string   `json:"reason"`
			Filenames []string `json:"filenames"`
		}
		if json.Unmarshal(line, &message) != nil || message.Reason != "compiler-artifact" {
			continue
		}
		for _, file := range message.Filenames {
			if filepath.Ext(file) == ".wasm" {
				made = append(made, file)
			}
		}
	}
	switch len(made) {
	case 0:
		return &SourceError{Dir: b.Dir, Text: "cargo made no .wasm file: a plugin's Cargo.toml needs\n[lib]\ncrate-type = [\"cdylib\"]"}
	case 1:
	default:
		return &SourceError{Dir: b.Dir, Text: "cargo made several .wasm files: " + strings.Join(made, ", ") + "; build one package, in its own directory"}
	}
	module, err := regularfile.Read(made[0], maxArtifact)
	if err == nil {
		err = atomicfile.Write(b.Output, module, 0o644)
	}
	if err != nil {
		return &FailedError{Tool: "cargo", Err: err}
	}
	return nil
}
