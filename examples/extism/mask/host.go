package main

import (
	"encoding/json"
	"fmt"

	"github.com/extism/go-pdk"
)

// The functions of the host that Extism does not have. Both return a block with {status, reply?}.

//go:wasmimport extism:host/user next
func hostNext(payload uint64) uint64

//go:wasmimport extism:host/user host_call
func hostCall(op, payload uint64) uint64

// Status says how a call of the host ended.
type Status int

// The statuses that this plugin needs.
const (
	ok       Status = 0
	noEntry  Status = -2
	tooBig   Status = -3
	conflict Status = -8
)

// next calls the inner layers with the unchanged call: no block means no change.
func next(reply any) (Status, error) { return answer(hostNext(0), reply) }

// call performs an operation.
func call(op string, document, reply any) (Status, error) {
	name := pdk.AllocateString(op)
	defer name.Free()
	payload, err := pdk.AllocateJSON(document)
	if err != nil {
		return 0, err
	}
	defer payload.Free()
	return answer(hostCall(name.Offset(), payload.Offset()), reply)
}

// answer reads the answer of the host.
func answer(at uint64, reply any) (Status, error) {
	if at == 0 {
		return tooBig, nil // there was no room for it
	}
	block := pdk.FindMemory(at)
	defer block.Free()
	var said struct {
		Status Status          `json:"status"`
		Reply  json.RawMessage `json:"reply"`
	}
	if err := json.Unmarshal(block.ReadBytes(), &said); err != nil {
		return 0, err
	}
	if said.Status != ok || reply == nil {
		return said.Status, nil
	}
	return ok, json.Unmarshal(said.Reply, reply)
}

// report tells what was masked: in the log, and by an event with how many it were in all threads.
func report(count int) error {
	total, err := addTotal(count)
	if err != nil {
		return err
	}
	pdk.Log(pdk.LogInfo, fmt.Sprintf("masked %d words, %d in all", count, total))
	_, err = call("event.emit", map[string]any{"name": "masked", "data": map[string]int{"count": count, "total": total}}, nil)
	return err
}

// entry is a value in the plugin's store.
type entry struct {
	Scope   string  `json:"scope"`
	Key     string  `json:"key"`
	Value   *int    `json:"value,omitempty"`
	Version *uint64 `json:"if_version,omitempty"`
}

// addTotal adds to the count of all threads, and returns what it is now: the count alone where the operator has granted no
// store.
func addTotal(count int) (int, error) {
	for {
		var old struct {
			Value   int    `json:"value"`
			Version uint64 `json:"version"` // 0: there is none
		}
		if status, err := call("kv.get", entry{Scope: "plugin", Key: "masked"}, &old); err != nil {
			return 0, err
		} else if status != ok && status != noEntry {
			return count, nil
		}
		total := old.Value + count
		status, err := call("kv.put", entry{Scope: "plugin", Key: "masked", Value: &total, Version: &old.Version}, nil)
		if err != nil {
			return 0, err
		}
		switch status {
		case ok:
			return total, nil
		case conflict: // another run was faster
		default:
			return count, nil
		}
	}
}
