package plugin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// preparedFiles keeps prepared modules from one process to the next, next to their compiled code and equally trusted. A
// program reads only files that it wrote itself: another build may refuse what this one accepts, and add a different meter.
type preparedFiles struct {
	dir     string // "": nothing is kept
	program func() [sha256.Size]byte
}

func newPreparedFiles(dir string) preparedFiles {
	return preparedFiles{dir, sync.OnceValue(program)}
}

// program identifies the build of the current program.
func program() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintln(h, meter.Version)
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info)
	}
	if path, err := os.Executable(); err == nil {
		if file, err := os.Stat(path); err == nil {
			fmt.Fprintln(h, path, file.Size(), file.ModTime().UnixNano())
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// A file begins with the program, the digest of the metered module, and flags; the rest is that module.
const (
	preparedHead    = 2*sha256.Size + 1
	preparedLasting = 1 // preflight.Module.Lasting
	// maxPrepared is the size of the largest file, in bytes. CompileHere takes metered modules of the same size.
	maxPrepared = preparedHead + maxMetered
)

// get reads a prepared module, or returns nil if there is none.
func (f *preparedFiles) get(key preparedKey, code []byte, limits preflight.Limits) *preparedModule {
	if f.dir == "" {
		return nil
	}
	text, err := regularfile.Read(f.path(key), maxPrepared)
	if err != nil || len(text) < preparedHead {
		return nil
	}
	by, digest := [sha256.Size]byte(text), [sha256.Size]byte(text[sha256.Size:])
	metered := text[preparedHead:]
	if by != f.program() || sha256.Sum256(metered) != digest {
		return nil
	}
	module, err := preflight.Outline(code, limits)
	if err != nil {
		return nil
	}
	module.Lasting = text[preparedHead-1]&preparedLasting != 0
	return &preparedModule{key: key, module: module, metered: metered, digest: hex.EncodeToString(digest[:])}
}

// put writes a prepared module. If that fails, the next process prepares it again.
func (f *preparedFiles) put(p *preparedModule) {
	if f.dir == "" {
		return
	}
	by := f.program()
	digest, err := hex.DecodeString(p.digest)
	if err != nil {
		return
	}
	flags := byte(0)
	if p.module.Lasting {
		flags |= preparedLasting
	}
	if os.MkdirAll(f.dir, 0o700) == nil {
		_ = atomicfile.Write(f.path(p.key), bytes.Join([][]byte{by[:], digest, {flags}, p.metered}, nil), 0o600)
	}
}

// path returns the path of a module's file. All builds share it, so that successive builds do not fill the directory.
func (f *preparedFiles) path(key preparedKey) string {
	name := hex.EncodeToString(key.code[:])
	if key.globals {
		name += "-globals"
	}
	return filepath.Join(f.dir, name)
}
