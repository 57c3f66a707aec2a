package abi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
)

func TestPackAndUnpack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status abi.Status
		length int
		packed uint64
		text   string
	}{
		{abi.StatusOK, 0, 0, "ok"},
		{abi.StatusOK, 42, 42, "ok"},
		{abi.StatusOK, 1<<31 - 1, 0x00000000_7fffffff, "ok"},
		{abi.EINVAL, 0, 0xffffffff_00000000, "EINVAL"},
		{abi.ENOENT, 0, 0xfffffffe_00000000, "ENOENT"},
		{abi.ETOOBIG, 0, 0xfffffffd_00000000, "ETOOBIG"},
		{abi.EDENIED, 0, 0xfffffffc_00000000, "EDENIED"},
		{abi.ENOTSUP, 0, 0xfffffffb_00000000, "ENOTSUP"},
		{abi.EBUSY, 0, 0xfffffffa_00000000, "EBUSY"},
		{abi.ELIMIT, 0, 0xfffffff9_00000000, "ELIMIT"},
		{abi.ECONFLICT, 0, 0xfffffff8_00000000, "ECONFLICT"},
		{abi.StatusFailed, 42, 0xffffffec_0000002a, "failed"},
		{abi.StatusInterrupted, 0, 0xffffffeb_00000000, "interrupted"},
		{abi.StatusCancelled, 0, 0xffffffea_00000000, "cancelled"},
		{-99, 1, 0xffffff9d_00000001, "status -99"},
		{7, 1, 0x00000007_00000001, "status 7"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.packed, abi.Pack(tc.status, tc.length))
			status, length := abi.Unpack(tc.packed)
			require.Equal(t, tc.status, status)
			require.Equal(t, tc.length, length)
			require.Equal(t, tc.text, tc.status.String())
		})
	}
}

func ExampleUnpack() {
	status, length := abi.Unpack(0xffffffec_0000002a)
	fmt.Println(int32(status), status, length)
	// Output: -20 failed 42
}
