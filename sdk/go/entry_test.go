package sdk_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

var visitors = sdk.Entry[int]{Scope: sdk.ScopeThread, Key: "visitors"}

// using runs a function in a hook of a plugin that may use its store.
func using(use func(c *sdk.Call) error) *sdktest.Host {
	return host(hook(use), sdk.Description{Capabilities: []sdk.Capability{
		{Op: sdk.OpKVGet, Reason: "test"}, {Op: sdk.OpKVPut, Reason: "test"}, {Op: sdk.OpKVDelete, Reason: "test"},
	}})
}

type hook func(c *sdk.Call) error

func (h hook) BeforeModel(c *sdk.Call) (*sdk.Update, error) { return nil, h(c) }

func TestEntry(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := using(func(c *sdk.Call) error {
		n, err := visitors.Get(c)
		require.NoError(t, err)
		require.Zero(t, n, "there is no entry")
		require.NoError(t, visitors.Put(c, 41))
		n, err = visitors.Update(c, func(n int) (int, error) { return n + 1, nil })
		require.NoError(t, err)
		require.Equal(t, 42, n)
		n, err = visitors.Get(c)
		require.Equal(t, 42, n)
		return err
	})
	require.Nil(t, h.BeforeModel().Error)
	require.Equal(t, sdk.Int(42), h.Stored(sdk.ScopeThread, "visitors"))
	require.Nil(t, using(func(c *sdk.Call) error { return visitors.Delete(c) }).BeforeModel().Error)
}

func TestAnUpdateLosesNothing(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	var h *sdktest.Host
	others := 3 // calls that write the entry between the read and the write of this one
	h = using(func(c *sdk.Call) error {
		n, err := visitors.Update(c, func(n int) (int, error) {
			if others > 0 {
				others--
				h.Store(sdk.ScopeThread, "visitors", sdk.Int(int64(n)+10))
			}
			return n + 1, nil
		})
		require.Equal(t, 31, n)
		return err
	})
	require.Nil(t, h.BeforeModel().Error)
	require.Equal(t, sdk.Int(31), h.Stored(sdk.ScopeThread, "visitors"))
}

func TestAnUpdateThatFails(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := using(func(c *sdk.Call) error {
		_, err := visitors.Update(c, func(int) (int, error) { return 0, errors.New("no more") })
		return err
	})
	h.Store(sdk.ScopeThread, "visitors", sdk.Int(7))
	require.Equal(t, "no more", h.BeforeModel().Error.Message)
	require.Equal(t, sdk.Int(7), h.Stored(sdk.ScopeThread, "visitors"))

	h.Store(sdk.ScopeThread, "visitors", sdk.String("seven"))
	require.Equal(t, "visitors: an integer is expected, not string", h.BeforeModel().Error.Message)
}

// A host that always refuses the write ends an update by its limit of calls.
func TestAnUpdateEnds(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	calls := 0
	limited := operations{
		abi.OpKVGet: status(abi.ENOENT),
		abi.OpKVPut: func([]byte) (abi.Status, []byte) {
			calls++
			if calls > 100 {
				return abi.ELIMIT, nil
			}
			return abi.ECONFLICT, nil
		},
	}
	during(t, limited, func(c *sdk.Call) error {
		_, err := visitors.Update(c, func(n int) (int, error) { return n, nil })
		require.Equal(t, sdk.ErrLimit, err)
		return nil
	})
	require.Equal(t, 101, calls)
}
