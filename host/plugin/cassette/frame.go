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
	MaxExchanges   = 20_000   // in a frame
	MaxPlugins     = 1_000    // in one cassette: each load of a plugin counts
	MaxPluginBytes = 64 << 20 // of all configurations and Descriptions together
)

// Header is the first document.
type Header struct {
	Version int    `msgpack:"cassette"`
	ABI     string `msgpack:"abi"` // of the recording host: its major and minor version
}

// Plugin is a plugin as it was loaded: with this module, configuration and these limits.
type Plugin struct {
	ID          int      `msgpack:"id"`   // in its cassette, from 1; the writer sets it
	Name        string   `msgpack:"name"` // in its agent
	Path        string   `msgpack:"path,omitempty"`
	SHA256      string   `msgpack:"sha256"`                // of the module, in hexadecimal
	Costs       int      `msgpack:"costs"`                 // the version of the cost table that counts its fuel
	Config      []byte   `msgpack:"config"`                // as msgpack, with the defaults of its schema
	Description []byte   `msgpack:"description,omitempty"` // as msgpack: what it does with this configuration
	Grants      []string `msgpack:"grants,omitempty"`      // keys of what was granted, such as kv and http.fetch
	Reads       []string `msgpack:"reads,omitempty"`       // granted fields of other middleware
	Writes      []string `msgpack:"writes,omitempty"`
	Limits      Limits   `msgpack:"limits"`
}

// Limits are those limits of a plugin that a call's result and fuel may depend on.
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
	Number int     `msgpack:"number"` // in its cassette, from 1, in the order in which calls ended; the writer sets it
	Plugin *Plugin `msgpack:"-"`      // the reader and the writer set it
	Loaded int     `msgpack:"plugin"` // the plugin's ID; the writer sets it

	Export    string     `msgpack:"export"`
	Step      string     `msgpack:"step"`
	Input     []byte     `msgpack:"input,omitempty"`
	Exchanges []Exchange `msgpack:"exchanges,omitempty"` // that the host answered or would have; not those beyond a limit, or in a closed frame
	Returned  bool       `msgpack:"returned,omitempty"`  // the function returned Code
	Code      int32      `msgpack:"code,omitempty"`
	Result    []byte     `msgpack:"result,omitempty"` // if the code says that there is one
	Fuel      uint64     `msgpack:"fuel"`
	Fault     *Fault     `msgpack:"fault,omitempty"`     // of the guest, or what the host found wrong with its result
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
