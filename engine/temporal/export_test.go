package temporal

import "time"

// Hasty shortens how long a dispatcher waits before it reminds a workflow, and before it lets a thread go on with the current version.
func (c *Config) Hasty(remind, abandon time.Duration) { c.remind, c.abandon = remind, abandon }
