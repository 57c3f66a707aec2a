package mcp

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// root describes a directory to a server. A root tells the server where it may work; it is not a permission of the operating system.
func root(dir string) (*sdk.Root, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full)
	switch {
	case err != nil:
		return nil, fmt.Errorf("roots: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("roots: %s is not a directory", full)
	}
	path := filepath.ToSlash(full)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	at := url.URL{Scheme: "file", Path: path}
	return &sdk.Root{URI: at.String(), Name: filepath.Base(full)}, nil
}

// readRoots describes the directories of the configuration.
func (c *Config) readRoots() ([]*sdk.Root, error) {
	var roots []*sdk.Root
	for _, dir := range c.Roots {
		r, err := root(dir)
		if err != nil {
			return nil, err
		}
		roots = append(roots, r)
	}
	return roots, nil
}
