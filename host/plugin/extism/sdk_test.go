//go:build !no_extism

package extism_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/extism/go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
)

// sdkCommand is the argument with which this binary calls the hook of a module using only Extism's SDK.
const sdkCommand = "sdk-alone"

// bySDK performs before_model with the SDK's own functions instead of ours, and prints the output.
func bySDK(file string) error {
	ctx := context.Background()
	zero := func(_ context.Context, _ *sdk.CurrentPlugin, stack []uint64) { stack[0] = 0 }
	i64 := sdk.ValueTypeI64
	p, err := sdk.NewPlugin(ctx, sdk.Manifest{Wasm: []sdk.Wasm{sdk.WasmFile{Path: file}}}, sdk.PluginConfig{}, []sdk.HostFunction{
		sdk.NewHostFunctionWithStack("next", zero, []sdk.ValueType{i64}, []sdk.ValueType{i64}),
		sdk.NewHostFunctionWithStack("host_call", zero, []sdk.ValueType{i64, i64}, []sdk.ValueType{i64}),
	})
	if err != nil {
		return err
	}
	_, output, err := p.CallWithContext(ctx, "before_model", []byte(`{"n":0}`))
	fmt.Printf("%s", output)
	return err
}

// alone performs before_model with the SDK alone, in a process with a time limit.
func alone(t *testing.T, module []byte, limit time.Duration) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "guest.wasm")
	require.NoError(t, os.WriteFile(file, module, 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, self, sdkCommand, file).Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return string(out), err
}

// TestHeadersOfBlocks runs a guest that makes the header of a block point to itself, and then asks for another block. With
// the SDK's own functions the call never ends, in code without a meter. If the SDK fixes this, the first half of the test
// fails, and package extism may then leave more work to the SDK.
func TestHeadersOfBlocks(t *testing.T) {
	t.Parallel()
	attack := func() *guest {
		g := describing(jsonDescription)
		const size = -8 // offset of the size in the header, from the block: 12 bytes, which the size takes back
		return g.export("before_model",
			g.block("0123456789abcdef"), set(1),
			get(1), i64(size), code{0x7c}, i32(0xf4), call(callStore8),
			get(1), i64(size+1), code{0x7c}, i32(0xff), call(callStore8),
			get(1), i64(size+2), code{0x7c}, i32(0xff), call(callStore8),
			get(1), i64(size+3), code{0x7c}, i32(0xff), call(callStore8),
			get(1), i64(1), code{0x7c}, call(callLength), drop,
			g.say("it ended"), i32(0))
	}
	harmless := describing(jsonDescription)
	harmless.export("before_model", harmless.block("0123456789abcdef"), call(callLength), drop, harmless.say("it ended"), i32(0))
	out, err := alone(t, harmless.bytes(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, "it ended", out)
	_, err = alone(t, attack().bytes(), 2*time.Second)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	_, _, err = run(t, plugin.Wasm{Bytes: attack().bytes()})
	fault := faultOf(t, err)
	require.Equal(t, plugin.KindProtocol, fault.Kind)
	require.Contains(t, fault.Message, "store_u8: there is no block")
}
