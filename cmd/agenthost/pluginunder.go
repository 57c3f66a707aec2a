package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest"
)

// grantUsage is the help of the flag --grant.
const grantUsage = "what the plugin may do, as under grant in a manifest: a `GRANT` in YAML, JSON, or @FILE"

// pluginUnder returns a plugin with the configuration and the grant that the flags --config and --grant say.
func pluginUnder(config, grant string) (w plugin.Wasm, err error) {
	if w.Config, err = readConfig(config); err != nil {
		return w, flagUsage("--config", err)
	}
	name, text, err := flagOrFile("--grant", grant)
	if err == nil && strings.TrimSpace(text) != "" {
		w.Grant, err = manifest.ParseGrant(name, []byte(text), os.LookupEnv)
	}
	if err != nil {
		return w, flagUsage("--grant", err)
	}
	return w, nil
}

// flagUsage returns the error of a flag. One about a place in the flag's text begins with the flag already.
func flagUsage(flag string, err error) error {
	if placed, ok := errors.AsType[*strictyaml.Error](err); !ok || placed.Problems[0].File != flag {
		err = fmt.Errorf("%s: %w", flag, err)
	}
	return &exitError{exitUsage, err}
}

// flagOrFile returns the text of a flag, or of the file that @FILE names, and the name of its source.
func flagOrFile(flag, text string) (name, content string, err error) {
	file, ok := strings.CutPrefix(text, "@")
	if !ok {
		return flag, text, nil
	}
	data, err := regularfile.Read(file, manifest.MaxSize) // a part of a manifest
	return file, string(data), err
}

// readConfig reads a plugin's configuration: a YAML mapping as in a manifest.
func readConfig(text string) (map[string]any, error) {
	name, text, err := flagOrFile("--config", text)
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	var config map[string]any
	if err := strictyaml.Decode(name, []byte(text), &config); err != nil {
		return nil, err
	}
	return config, nil
}
