//go:build !wasip1

package sdk

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// exportNames are the names of the exports in a module.
var exportNames = [...]string{
	exportOfDescribe:      abi.ExportDescribe,
	exportOfConfigure:     abi.ExportConfigure,
	exportOfCallTool:      abi.ExportCallTool,
	exportOfBeforeAgent:   string(abi.BeforeAgent),
	exportOfBeforeModel:   string(abi.BeforeModel),
	exportOfAfterModel:    string(abi.AfterModel),
	exportOfAfterAgent:    string(abi.AfterAgent),
	exportOfWrapModelCall: string(abi.WrapModelCall),
	exportOfWrapToolCall:  string(abi.WrapToolCall),
}

// Invoke performs an export of the registered plugin natively, as a host would. It takes the input document and
// returns the result and the export's return value. It is for tests.
func Invoke(export string, input []byte, h Host) (result []byte, code int32) {
	return new(frame).dispatch(exportOf(export), func() []byte { return input }, h, nil)
}

func exportOf(name string) export {
	i := slices.Index(exportNames[:], name)
	if i < 0 {
		panic("sdk.Invoke: there is no export " + name)
	}
	return export(i)
}
