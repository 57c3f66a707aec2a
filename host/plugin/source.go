package plugin

import (
	"crypto/sha256"
	"fmt"

	"github.com/agenthost/agenthost/host/plugin/anatomy"
)

// takeScript takes the plugin's module, and keeps its script for the instances. It returns the module without the script, and
// its digest: all scripts of an engine share what is prepared and compiled for the engine.
func (p *Plugin) takeScript() (code []byte, sum [sha256.Size]byte, err error) {
	code, sum = p.code, p.sum
	p.code = nil
	rest, script, err := anatomy.CutScript(code)
	switch {
	case err != nil:
		return nil, sum, p.fault(stagePreflight, KindMalformed, clean(err.Error(), 400), err)
	case script == nil:
		return code, sum, nil
	case len(script) > p.limits.Input:
		return nil, sum, p.fault(stagePreflight, KindLimit, fmt.Sprintf("its script has %d bytes, the limit is %d", len(script), p.limits.Input), nil)
	}
	p.source = script
	return rest, sha256.Sum256(rest), nil
}
