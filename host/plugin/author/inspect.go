package author

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
)

// Inspection is what [Inspect] reports about a plugin. Texts of the module and its Description are unchanged: remove
// control characters before you show them to a person.
type Inspection struct {
	File        string           `json:"file"`
	OK          bool             `json:"ok"`
	Stage       string           `json:"stage,omitempty"`       // where it failed: read, preflight, link, compile, instantiate, init or describe
	Kind        plugin.Kind      `json:"kind,omitempty"`        // kind of the fault; "" if the plugin is not to blame
	Message     string           `json:"message,omitempty"`     // why it failed; guest text in it is cleaned
	SHA256      string           `json:"sha256,omitempty"`      // digest of the file, as in [plugin.Wasm.SHA256]
	Signature   string           `json:"signature,omitempty"`   // the file that may hold its signature, which is not checked
	Module      *anatomy.Module  `json:"module,omitempty"`      // nil: the file is not a loadable module
	Description wire.Raw         `json:"description,omitempty"` // the Description that describe returned, in canonical form
	Described   *abi.Description `json:"-"`                     // the same, decoded; nil if it is malformed or not allowed
	Embedded    Embedded         `json:"embedded_description"`
	Warnings    []Warning        `json:"warnings,omitempty"`
}

// Embedded compares the section [anatomy.DescriptionSection] of a module with the Description that describe returns.
type Embedded string

// The possible states of an embedded Description.
const (
	EmbeddedNone      Embedded = "none"      // there is no such section
	EmbeddedSame      Embedded = "same"      // the section holds what describe returns
	EmbeddedDiffers   Embedded = "differs"   // the section holds something else
	EmbeddedUnchecked Embedded = "unchecked" // describe could not be called
)

// Inspect examines a module and calls its describe, in the same sandbox and in the same way as loading it does. It does not
// configure the module, grants it nothing, and runs none of its hooks, so the module need not be trusted. It uses only those
// fields of w that locate and verify the module, the Limits and the Engine.
func Inspect(ctx context.Context, w plugin.Wasm) *Inspection {
	in := &Inspection{File: w.Path, Embedded: EmbeddedNone}
	err := in.look(ctx, w)
	in.OK = err == nil
	in.tell(err)
	in.warn()
	return in
}

func (in *Inspection) look(ctx context.Context, w plugin.Wasm) error {
	in.Stage = StageRead
	code, err := w.Module()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(code)
	in.SHA256 = hex.EncodeToString(sum[:])
	if w.Path != "" {
		if info, err := os.Stat(w.Path + plugin.SignatureSuffix); err == nil && info.Mode().IsRegular() {
			in.Signature = w.Path + plugin.SignatureSuffix
		}
	}
	in.Module, _ = anatomy.Of(code) // loading reports what is wrong with it
	embedded := anatomy.Description(code)
	if embedded != nil {
		in.Embedded = EmbeddedUnchecked
	}
	w.Bytes, w.SHA256, w.Minisign, w.Grant = code, "", nil, plugin.Grant{} // it is checked already
	p, err := w.Open(host.Env{})
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }() // it served no run, so an error does not matter
	in.Stage = abi.ExportDescribe
	in.Description, in.Described, err = p.Describe(ctx)
	if embedded != nil && in.Description != nil {
		in.Embedded = EmbeddedSame
		if !bytes.Equal(embedded, in.Description) {
			in.Embedded = EmbeddedDiffers
		}
	}
	return err
}

// Read examines a module without running any of it: what it says about itself is its embedded Description, which is not binding.
// file names the module in the result.
func Read(file string, module []byte) *Inspection {
	sum := sha256.Sum256(module)
	in := &Inspection{File: file, SHA256: hex.EncodeToString(sum[:]), Embedded: EmbeddedNone}
	err := in.read(module)
	in.OK = err == nil
	in.tell(err)
	in.warn()
	return in
}

func (in *Inspection) read(module []byte) (err error) {
	in.Stage = StageRead
	if in.Module, err = anatomy.Of(module); err != nil {
		return &plugin.Error{Stage: "preflight", Kind: plugin.KindMalformed, Message: err.Error(), Err: err}
	}
	embedded := anatomy.Description(module)
	if embedded == nil {
		return errors.New("it says nothing about itself unless it is run, because it was not packed; pull it, and inspect the file")
	}
	in.Embedded = EmbeddedUnchecked
	var d abi.Description
	canonical, err := wire.Canonical(embedded, wire.DefaultLimits)
	if err == nil {
		_, err = d.UnmarshalMsg(canonical)
	}
	if err != nil {
		return &plugin.Error{Stage: abi.ExportDescribe, Kind: plugin.KindProtocol, Message: "its embedded Description is malformed: " + err.Error(), Err: err}
	}
	in.Description, in.Described = canonical, &d
	return nil
}

// tell records an error; nil means success.
func (in *Inspection) tell(err error) {
	if err == nil {
		in.Stage = ""
		return
	}
	in.Message = clean(err.Error(), maxMessage)
	if fault, ok := errors.AsType[*plugin.Error](err); ok {
		in.Stage, in.Kind, in.Message = fault.Stage, fault.Kind, clean(fault.Message, maxMessage)
	}
}
