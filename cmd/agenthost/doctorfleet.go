package main

import (
	"fmt"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/server/config"
)

// maxPEM is how large a file of certificates, or of a key, may be, in bytes.
const maxPEM = 4 << 20

// fleet checks what workers need that Temporal directs. Whether Temporal answers, the command agenthost-fleet finds out.
func (d *doctor) fleet(c *config.Config, address threadstore.Address) {
	const subject = "engine"
	t := c.Engine.Temporal
	if t == nil {
		return
	}
	if address.IsZero() || address.InMemory() {
		d.failed(subject, "with engine.temporal, servers and workers need a database that they share",
			`storage: {postgres: "${DATABASE_URL}"} in serve.yaml names one`)
		return
	}
	if t.APIKeyEnv != "" && c.APIKey() == "" {
		d.failed(subject, fmt.Sprintf("the environment variable %s is not set; it has the API key of Temporal", t.APIKeyEnv), "set it")
		return
	}
	paths := []string{t.APIKeyFile}
	if t.TLS != nil {
		paths = append(paths, t.TLS.CAFile, t.TLS.CertFile, t.TLS.KeyFile)
	}
	for _, path := range paths {
		if path == "" {
			continue
		}
		if _, err := regularfile.Read(path, maxPEM); err != nil {
			d.failed(subject, err.Error(), "engine.temporal in serve.yaml names files that servers and workers can read")
			return
		}
	}
	d.note(subject, fmt.Sprintf("runs are performed by workers of the queue %s, which Temporal at %s directs; this command has no such engine, and "+
		"'agenthost serve' refuses the file", t.Queue, t.Address),
		"use agenthost-fleet, which 'make fleet' builds: 'agenthost-fleet doctor' with the same -f and --config checks Temporal and its workers; "+
			"or remove engine.temporal")
}
