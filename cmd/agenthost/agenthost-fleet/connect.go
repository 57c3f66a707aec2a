package main

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/engine/temporal"
)

// connect connects to Temporal. The caller must close the client of the configuration.
func (s *setup) connect(ctx context.Context) (temporal.Config, error) {
	t := s.serve.Engine.Temporal
	server := temporal.Server{Address: t.Address, Namespace: t.Namespace, Logger: s.log}
	if t.APIKeyEnv != "" {
		key := s.serve.APIKey()
		if key == "" {
			return temporal.Config{}, usageError{fmt.Errorf("engine.temporal: the environment variable %s is not set; it has the API key", t.APIKeyEnv)}
		}
		server.APIKey = func(context.Context) (string, error) { return key, nil }
	}
	if t.APIKeyFile != "" {
		var err error
		if server.APIKey, err = temporal.KeyFile(t.APIKeyFile); err != nil {
			return temporal.Config{}, usageError{fmt.Errorf("engine.temporal: api_key_file: %w", err)}
		}
	}
	if t.TLS != nil {
		server.TLS = &temporal.TLS{CAFile: t.TLS.CAFile, CertFile: t.TLS.CertFile, KeyFile: t.TLS.KeyFile, ServerName: t.TLS.ServerName}
	}
	dialing, done := context.WithTimeout(ctx, dialTime)
	defer done()
	c, err := temporal.Dial(dialing, server)
	if err != nil {
		return temporal.Config{}, err
	}
	return temporal.Config{Client: c, Namespace: t.Namespace, Queue: t.Queue, Pinned: t.Pinned(), Drain: s.serve.Drain}, nil
}
