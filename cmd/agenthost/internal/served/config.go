//go:build !no_serve

package served

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/agenthost/agenthost/server/config"
)

// OtherConfig says what to do when the serve.yaml that --config names is missing.
const OtherConfig = "name another one with --config FILE, or leave --config out"

// Config reads the serve.yaml that --config names; "" is that of the defaults.
func Config(path string, options config.Options) (*config.Config, error) {
	if path == "" {
		return config.Parse("the command line", []byte("{}"), options)
	}
	c, err := config.Load(path, options)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; %s", err, OtherConfig)
	}
	return c, err
}
