package mcp

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// root describes a directory to a server. A root tells the server where it may work; it is no permission of the operating system.
func root(dir string) (*sdk.Root, error) { //nolint:staticcheck // deprecated for servers, but existing ones use it
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full) //nolint:gosec // the operator names it
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
	return &sdk.Root{URI: at.String(), Name: filepath.Base(full)}, nil //nolint:staticcheck // as above
}

// readRoots describes the directories of the configuration.
func (c *Config) readRoots() ([]*sdk.Root, error) { //nolint:staticcheck // as above
	var roots []*sdk.Root //nolint:staticcheck // as above
	for _, dir := range c.Roots {
		r, err := root(dir)
		if err != nil {
			return nil, err
		}
		roots = append(roots, r)
	}
	return roots, nil
}
