// Package abi is the contract between agenthost and its guests: the documents that hooks exchange, the names that a
// guest module imports and exports, and the status and error numbers. SPEC.md in this directory is the normative text.
// The types here are its Go form, which the host and the Go SDK use.
//
// Documents are msgpack maps with short string keys. An absent key means unchanged or none; unknown keys are ignored.
// The struct fields are in the order of their keys, so the generated codecs write canonical msgpack (see package wire)
// and equal documents have equal bytes.
//
// UnmarshalMsg of a struct trusts the lengths that it reads and allocates accordingly. Check bytes from a guest or a file
// with [wire.Validate] or [wire.Canonical] first, as the host does.
package abi

//go:generate msgp -io=false -tests=false -file=message.go -o=message_gen.go
//go:generate msgp -io=false -tests=false -file=input.go -o=input_gen.go
//go:generate msgp -io=false -tests=false -file=result.go -o=result_gen.go
//go:generate msgp -io=false -tests=false -file=request.go -o=request_gen.go
//go:generate msgp -io=false -tests=false -file=description.go -o=description_gen.go
//go:generate msgp -io=false -tests=false -file=operation.go -o=operation_gen.go
//go:generate msgp -io=false -tests=false -file=kv.go -o=kv_gen.go
//go:generate msgp -io=false -tests=false -file=fetch.go -o=fetch_gen.go
//go:generate sed -i s/msgp.UnsafeString(field)/keyText(field)/ message_gen.go input_gen.go result_gen.go request_gen.go description_gen.go operation_gen.go kv_gen.go fetch_gen.go
