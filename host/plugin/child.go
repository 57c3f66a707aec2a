package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
)

// What compiling a module in a child process may use.
const (
	compileTime       = 2 * time.Second
	compileTimePerMiB = time.Second
	compileMemory     = 1 << 30
)

// compileLimit returns the processor time that compiling a module of this size may take.
func compileLimit(size int) time.Duration {
	return slowdown * (compileTime + time.Duration(size)*compileTimePerMiB>>20)
}

// compileElsewhere has the engine's Compile compile a module that it has not seen before. This process then finds the
// compiled code in the cache.
func (e *Engine) compileElsewhere(ctx context.Context, ready *preparedModule) error {
	if e.compile == nil {
		return nil
	}
	mark := filepath.Join(e.dir, "seen", ready.digest)
	if _, err := os.Stat(mark); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := e.compile(ctx, e.dir, ready.metered); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}

// CompileInChild returns a CompileFunc that runs a program, usually the current one, with the module as its input and the
// directory as its last argument. The program must call [CompileHere]. Where the system can enforce it, the program gets 2
// s of processor time plus 1 s for each MiB of the module, and 1 GiB of memory. In all, it may then run ten times as long,
// because other programs may be busy, and elsewhere three times.
func CompileInChild(program string, args ...string) CompileFunc {
	return childCompiler{program, args, func(size int) time.Duration { return patience * compileLimit(size) }}.compile
}

// childCompiler compiles in a child process.
type childCompiler struct {
	program string
	args    []string
	limit   func(size int) time.Duration // how long the child may take
}

func (c childCompiler) compile(ctx context.Context, dir string, module []byte) error {
	limit := c.limit(len(module))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errCompileTime)
	defer cancel()
	child := exec.CommandContext(ctx, c.program, append(slices.Clone(c.args), dir)...)
	child.Stdin = bytes.NewReader(module)
	child.Env = append(os.Environ(), "GOTRACEBACK=none", "GOMEMLIMIT="+strconv.Itoa(compileMemory*3/4))
	var said bytes.Buffer
	child.Stderr = &limitedWriter{to: &said, room: 4 << 10}
	child.WaitDelay = time.Second
	err := child.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errCompileTime):
		return fmt.Errorf("%w: %v; if the machine is busy, try again", errCompileTime, limit.Round(time.Millisecond))
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		line, _, _ := strings.Cut(said.String(), "\n")
		return fmt.Errorf("compiling it in a process of its own: %w: %s", err, line)
	}
}

var errCompileTime = errors.New("it takes longer to compile than a module of its size may")

// limitedWriter keeps the first bytes written to it.
type limitedWriter struct {
	to   *bytes.Buffer
	room int
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	w.to.Write(p[:n])
	return len(p), nil
}

// maxMetered is the size of the largest module with the code of its meter, in bytes.
const maxMetered = 4 * MaxModuleSize

// CompileHere reads a module and writes its compiled code to the directory of an engine. Where the system can do that, it limits
// the memory and time of the process, so call it only in a process that does nothing else.
func CompileHere(ctx context.Context, dir string, module io.Reader) error {
	code, err := io.ReadAll(io.LimitReader(module, maxMetered))
	if err != nil {
		return err
	}
	if err := limitProcess(heavier*compileMemory, compileLimit(len(code))); err != nil {
		return err
	}
	cache, err := openDirectory(dir)
	if err != nil {
		return err
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, runtimeConfig().WithCompilationCache(cache))
	if _, err = compileModule(ctx, runtime, code); err != nil {
		forget(dir, err)
		_, err = compileModule(ctx, runtime, code)
	}
	return errors.Join(err, runtime.Close(ctx), cache.Close(ctx))
}
