package temporal

import (
	"crypto/tls"
	"time"
)

// Hasty shortens how long a dispatcher waits before it reminds a workflow, and before it lets a thread go on with the current version.
func (c *Config) Hasty(remind, abandon time.Duration) { c.remind, c.abandon = remind, abandon }

// Config returns the configuration of a connection to an address.
func (t *TLS) Config(address string) (*tls.Config, error) { return t.config(address) }
