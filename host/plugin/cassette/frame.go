package cassette

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/docdiff"
)

// Version is the version of the format.
const Version = 1

// The limits of a cassette. Anything larger is written without its content, see [Frame.Cut].
const (
	MaxDocument    = 64 << 20 // size of a document, in bytes
	MaxExchanges   = 20_000   // number of exchanges in a frame
	MaxPlugins     = 1_000    // number of plugins in one cassette: each load of a plugin counts
	MaxPluginBytes = 64 << 20 // size of all configurations and Descriptions together
)

// Header is the first document.
type Header struct {
	Version int    `msgpack:"cassette"`
	ABI     string `msgpack:"abi"` // version of the recording host's ABI: major and minor
}

// Plugin is a plugin as it was loaded: with this module, configuration and these limits.
type Plugin struct {
	ID          int      `msgpack:"id"`   // number in the cassette, from 1; the writer sets it
	Name        string   `msgpack:"name"` // name in the agent
	Path        string   `msgpack:"path,omitempty"`
	SHA256      string   `msgpack:"sha256"`                // digest of the module, in hexadecimal
	Costs       int      `msgpack:"costs"`                 // version of the cost table for the plugin's fuel
	Config      []byte   `msgpack:"config"`                // configuration as msgpack, with the defaults of its schema
	Description []byte   `msgpack:"description,omitempty"` // Description as msgpack, as returned for this configuration
	Grants      []string `msgpack:"grants,omitempty"`      // keys of what was granted, such as kv and http.fetch
	Context     []string `msgpack:"context,omitempty"`     // granted keys of the run's context
	Reads       []string `msgpack:"reads,omitempty"`       // granted fields of other middleware
	Writes      []string `msgpack:"writes,omitempty"`
	Limits      Limits   `msgpack:"limits"`
}

// Limits are the limits of a plugin that may affect a call's result and fuel.
type Limits struct {
	Memory    int64 `msgpack:"memory"`
	Fuel      int64 `msgpack:"fuel"`
	Input     int   `msgpack:"input"`
	Result    int   `msgpack:"result"`
	HostCalls int   `msgpack:"host_calls"`
	Next      int   `msgpack:"next"`
	Log       int   `msgpack:"log"`
}

// Frame is one call of a guest's function for a hook or tool.
type Frame struct {
	Number int     `msgpack:"number"` // number in the cassette, from 1, in the order in which calls ended; the writer sets it
	Plugin *Plugin `msgpack:"-"`      // the reader and the writer set it
	Loaded int     `msgpack:"plugin"` // the plugin's ID; the writer sets it

	Export string `msgpack:"export"`
	Step   string `msgpack:"step"`
	Input  []byte `msgpack:"input,omitempty"`
	// Exchanges are the exchanges that the host answered or would have answered, without those beyond a limit or in a closed frame.
	Exchanges []Exchange `msgpack:"exchanges,omitempty"`
	Returned  bool       `msgpack:"returned,omitempty"` // the function returned Code
	Code      int32      `msgpack:"code,omitempty"`
	Result    []byte     `msgpack:"result,omitempty"` // the result, if Code says that there is one
	Fuel      uint64     `msgpack:"fuel"`
	Fault     *Fault     `msgpack:"fault,omitempty"`     // fault of the guest, or of its result in the host's judgement
	Closed    abi.Status `msgpack:"closed,omitempty"`    // an interrupt or cancellation came from inside, and the result was discarded
	Cancelled bool       `msgpack:"cancelled,omitempty"` // the run's context ended while the guest ran, and stopped it
	Cut       bool       `msgpack:"cut,omitempty"`       // the call was too large to record whole: it cannot be repeated
}

// Exchange is one call of next or host_call, and the host's answer.
type Exchange struct {
	Op       string     `msgpack:"op,omitempty"` // the operation of a host_call; "" means next
	Payload  []byte     `msgpack:"payload,omitempty"`
	Answered bool       `msgpack:"answered,omitempty"` // false: the request stopped the guest, or a cancellation came first
	Status   abi.Status `msgpack:"status,omitempty"`
	Reply    []byte     `msgpack:"reply,omitempty"`
}

// Name returns the exchange's name for people: next, or the operation, cleaned because a guest chose it.
func (x *Exchange) Name() string {
	if x.Op == "" {
		return abi.ImportNext
	}
	return docdiff.Clean(x.Op)
}

// Fault is a fault of the guest.
type Fault struct {
	Kind    string `msgpack:"kind" json:"kind"`
	Message string `msgpack:"message" json:"message"`
	// Chance says that the fault also depended on the machine, such as a timeout: it may not happen again.
	Chance bool `msgpack:"chance,omitempty" json:"chance,omitempty"`
}
