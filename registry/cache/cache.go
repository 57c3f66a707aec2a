// Package cache keeps the modules of plugins on this machine, by the digests of their bytes, with the signatures that were checked
// when they came. A run takes plugins of registries from here, and from nowhere else.
//
// The directory is shared by all agents of a user. Nothing in it is trusted: a reader checks digest and signature again.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Cache is a directory of modules. Its methods are safe for concurrent use, also by several processes.
type Cache struct{ dir string }

// Open returns the cache in a directory, which is created when a module is kept.
func Open(dir string) *Cache { return &Cache{dir} }

// User returns the cache of the user, such as ~/.cache/agenthost/plugins.
func User() (*Cache, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return Open(filepath.Join(dir, "agenthost", "plugins")), nil
}

// Path returns where the module with a digest is, if it is there. The digest is a SHA-256, in hexadecimal.
func (c *Cache) Path(digest string) string { return filepath.Join(c.dir, digest+".wasm") }

// signaturePath returns where the signature of a module by a key is. Different agents may trust different signers of one module.
func (c *Cache) signaturePath(digest string, by minisig.Key) string {
	return filepath.Join(c.dir, digest+"."+by.ID()+minisig.Suffix)
}

// Put keeps a module, and returns its digest. A file that is there already, but has other content, is replaced.
func (c *Cache) Put(module []byte) (digest string, err error) {
	sum := sha256.Sum256(module)
	digest = hex.EncodeToString(sum[:])
	if _, err := c.Get(digest); err == nil {
		return digest, nil
	}
	return digest, c.write(c.Path(digest), module)
}

// Get returns a module after checking its digest. The error is [fs.ErrNotExist] if it is missing.
func (c *Cache) Get(digest string) ([]byte, error) {
	module, err := regularfile.Read(c.Path(digest), plugin.MaxModuleSize)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(module)
	if got := hex.EncodeToString(sum[:]); got != digest {
		return nil, fmt.Errorf("%s: %w", c.Path(digest), &plugin.DigestError{Want: digest, Got: got})
	}
	return module, nil
}

// Has reports whether a module is there. Its content is not checked.
func (c *Cache) Has(digest string) bool {
	info, err := os.Stat(c.Path(digest))
	return err == nil && info.Mode().IsRegular()
}

// PutSignature keeps the signature of a module by a key. The caller has checked it.
func (c *Cache) PutSignature(digest string, by minisig.Key, signature []byte) error {
	return c.write(c.signaturePath(digest, by), signature)
}

// Signature returns the signature of a module by one of the keys. It returns nil if there is none; the caller checks it.
func (c *Cache) Signature(digest string, keys []minisig.Key) ([]byte, error) {
	for _, key := range keys {
		signature, err := regularfile.Read(c.signaturePath(digest, key), minisig.MaxSize)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return signature, err
		}
	}
	return nil, nil
}

func (c *Cache) write(path string, content []byte) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("cache of plugins: %w", err)
	}
	if err := atomicfile.Write(path, content, 0o600); err != nil {
		return fmt.Errorf("cache of plugins: %w", err)
	}
	return nil
}
