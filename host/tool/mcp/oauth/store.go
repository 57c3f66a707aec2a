package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Store keeps logins, by keys of [Key]. Its methods are safe for concurrent use.
type Store interface {
	// Load returns the login for a key, or nil if there is none.
	Load(key string) (*Entry, error)
	Save(key string, e *Entry) error
	// Delete removes the login. It reports whether there was one.
	Delete(key string) (bool, error)
	// Lock waits until no other user of the store, in any process, holds the lock of the key.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// Files is a [Store] of files that only their owner can read, in a directory.
type Files struct{ dir string }

// OpenFiles returns a store in a directory, which is created when a login is saved.
func OpenFiles(dir string) *Files { return &Files{dir} }

// UserFiles returns the store in the user's configuration directory, such as ~/.config/agenthost/logins.
func UserFiles() (*Files, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	return OpenFiles(filepath.Join(dir, "agenthost", "logins")), nil
}

func (f *Files) path(key, extension string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(f.dir, hex.EncodeToString(sum[:16])+extension)
}

// Load reads a file. A file that others can read is an error.
func (f *Files) Load(key string) (*Entry, error) {
	path := f.path(key, ".json")
	file, info, err := regularfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s holds tokens, but others can read it; run 'chmod 600' on it, or log in again", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxEntry+1))
	if err != nil {
		return nil, err
	}
	return DecodeEntry(key, text)
}

// Save writes a file.
func (f *Files) Save(key string, e *Entry) error {
	text, err := e.encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(f.path(key, ".json"), text, 0o600)
}

// Delete removes a file.
func (f *Files) Delete(key string) (bool, error) {
	err := os.Remove(f.path(key, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Lock locks a file beside that of the login.
func (f *Files) Lock(ctx context.Context, key string) (func(), error) {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, err
	}
	return lockFile(ctx, f.path(key, ".lock"))
}

// Memory is a [Store] that ends with the process.
type Memory struct {
	mu      sync.Mutex
	entries map[string]Entry
	locks   map[string]chan struct{}
}

// Load returns the login for a key.
func (m *Memory) Load(key string) (*Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[key]; ok {
		return &e, nil
	}
	return nil, nil
}

// Save keeps a login.
func (m *Memory) Save(key string, e *Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries == nil {
		m.entries = map[string]Entry{}
	}
	m.entries[key] = *e
	return nil
}

// Delete removes a login.
func (m *Memory) Delete(key string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, found := m.entries[key]
	delete(m.entries, key)
	return found, nil
}

// Lock locks a key.
func (m *Memory) Lock(ctx context.Context, key string) (func(), error) {
	m.mu.Lock()
	if m.locks == nil {
		m.locks = map[string]chan struct{}{}
	}
	if m.locks[key] == nil {
		m.locks[key] = make(chan struct{}, 1)
	}
	lock := m.locks[key]
	m.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
