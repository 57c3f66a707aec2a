package server

import (
	"path"
	"strings"

	"github.com/agenthost/agenthost/server/internal/openapi"
	"github.com/agenthost/agenthost/studio"
)

// pageRoutes returns the routes of the page. It needs no credential, and says nothing about the agents: it asks for a key. That of dev uses the paths
// of package dev too.
func pageRoutes(dev bool) (out []route) {
	files := studio.Files()
	if dev {
		files = studio.DevFiles()
	}
	for _, file := range files {
		at, name := file.Path, path.Base(file.Path)
		summary := "Read the file " + name + " of the studio"
		if at == "/" {
			at, name, summary = "/{$}", "page", "Open the studio, a page for people"
		}
		kind, _, _ := strings.Cut(file.Type, ";")
		out = append(out, route{at, file.ServeHTTP, openapi.Operation{ID: strings.ReplaceAll(name, ".", "_"), Summary: summary, Text: kind}})
	}
	return out
}
