package httptool

import (
	"net/netip"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// Private returns the networks beside the public ones that names, and literal hosts, may be in.
func (t *Tool) Private() (named, literal []netip.Prefix) {
	if t.client.named != nil {
		named = t.client.named.Private
	}
	if t.client.literal != nil {
		literal = t.client.literal.Private
	}
	return named, literal
}

// Request returns the request of a call with these arguments.
func (t *Tool) Request(args wire.Map) (*abi.FetchRequest, error) { return t.request(args, "") }

// Output returns the result of a response.
func (t *Tool) Output(r *abi.FetchResponse) *host.ToolOutput { return t.output(r) }
