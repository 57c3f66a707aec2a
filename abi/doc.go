// Package abi is the contract between agenthost and its guests: the documents that hooks exchange, the names that a
// guest module imports and exports, status and error numbers. SPEC.md beside this file makes it normative; these types
// are its Go form, used by the host and by the Go SDK.
//
// Documents are msgpack maps with short string keys. An absent key means unchanged or none; unknown keys are ignored.
// The fields of the structs stand in the order of their keys, so that the generated codecs write canonical msgpack (see
// package wire), and equal documents have equal bytes.
//
// UnmarshalMsg of a struct believes the lengths that it reads, and allocates by them: bytes from elsewhere, of a guest or a
// file, are first checked by [wire.Validate] or [wire.Canonical], as the host does.
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
