//go:build !no_extism

package extism

import (
	"context"
	"fmt"

	sdk "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/meter"
)

// session is one instance of a guest, with the data that passes between it and the host in the current call.
type session struct {
	code   *code
	guest  contract.Guest
	plugin *sdk.Plugin
	ctx    context.Context // the context that every call must have
	kernel kernelMemory

	blocks  blocks
	input   []byte // input in the form that the guest reads
	inputAs uint64 // the block with the input; 0: there is none
	output  []byte // copy of the output that the guest set last
	failure string // error text that the guest set
}

// sessionKey is the context key under which functions of the host find the session.
type sessionKey struct{}

func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

// Initialize calls a function that does nothing, because the SDK initializes the guest's own runtime before the first
// call. The SDK calls _initialize, __wasm_call_ctors or hs_init.
func (s *session) Initialize() (api.Module, error) {
	defer s.reset()
	defer s.kernel.leave()
	return contract.Self(s.ctx, func(ctx context.Context) error {
		_, _, err := s.plugin.CallWithContext(ctx, meter.Self, nil)
		return err
	})
}

// Call calls an export in the form of Extism: it has no parameters, and returns nothing or a number that is 0 on success. Call
// bypasses the SDK, which would reset its kernel and rebuild its functions for each call, only to discard them again.
func (s *session) Call(export string, f api.Function, stack []uint64) error {
	defer s.reset()
	s.input = s.shown(s.guest.Input())
	stack[0] = 0
	if err := f.CallWithStack(s.ctx, stack); err != nil {
		return err
	}
	code := int32(stack[0])
	if len(f.Definition().ResultTypes()) == 0 {
		code = 0
	}
	stack[0] = uint64(abi.ReturnResult)
	switch {
	case code != 0 || s.failure != "":
		return s.guest.Failed(s.failureText(code))
	case len(s.output) == 0:
		stack[0] = uint64(abi.ReturnNothing)
		return nil
	case export == abi.ExportDescribe:
		s.code.json.Store(isJSON(s.output))
	}
	doc, err := s.code.parsed("", s.output)
	if err != nil {
		return s.guest.Malformed(err.Error())
	}
	s.guest.Result(doc)
	return nil
}

// failureText returns the error that a failed export set, or a text that says that there is none.
func (s *session) failureText(code int32) string {
	if s.failure != "" {
		return s.failure
	}
	return fmt.Sprintf("it returned %d and set no error", code)
}

// reset drops the data of the call.
func (s *session) reset() {
	s.blocks.reset()
	s.input, s.inputAs, s.output, s.failure = nil, 0, s.output[:0], ""
	if cap(s.output) > keptOutput {
		s.output = nil
	}
}

// keptOutput is the size in bytes up to which a buffer for outputs is kept.
const keptOutput = 64 << 10

func (s *session) Close(ctx context.Context) error { return s.plugin.CloseWithContext(ctx) }
