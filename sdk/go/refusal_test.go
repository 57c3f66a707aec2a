package sdk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

func TestRefusals(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	for status, want := range map[abi.Status]error{
		abi.EINVAL: sdk.ErrInvalid, abi.ENOENT: sdk.ErrNotFound, abi.ETOOBIG: sdk.ErrTooBig, abi.EDENIED: sdk.ErrDenied,
		abi.ENOTSUP: sdk.ErrNotSupported, abi.EBUSY: sdk.ErrBusy, abi.ELIMIT: sdk.ErrLimit, abi.ECONFLICT: sdk.ErrConflict,
	} {
		during(t, operations{abi.OpClockNow: func([]byte) (abi.Status, []byte) { return status, nil }}, func(c *sdk.Call) error {
			_, err := c.ClockNow()
			require.Equal(t, want, err)
			require.ErrorContains(t, err, status.String()+": ", "as the error of a hook its type is the status")
			return nil
		})
	}
	later := abi.Status(-19)
	result := during(t, operations{abi.OpClockNow: func([]byte) (abi.Status, []byte) { return later, nil }}, func(c *sdk.Call) error {
		_, err := c.ClockNow()
		return err
	})
	require.Equal(t, "the host refuses it", result.Error.Message)
}
