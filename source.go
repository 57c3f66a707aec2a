package agenthost

import (
	"embed"
	"io/fs"
)

// sources lists every package that a plugin, its tests and its go generate need, the module files and the crates in Rust.
//
//go:embed LICENSE go.mod go.sum
//go:embed abi/*.go abi/wire/*.go internal/codegen/*.go internal/schema/*.go internal/text/*.go
//go:embed sdk/go/*.go sdk/go/gen/*.go sdk/go/sdktest/*.go sdk/go/sha256/*.go
//go:embed sdk/rust/Cargo.toml sdk/rust/README.md sdk/rust/src sdk/rust/derive
var sources embed.FS

// Sources returns the files of the SDKs for Go and Rust by their paths in this module, with their license and the module's
// go.mod and go.sum. The command agenthost plugin new copies them into projects that use no released version.
func Sources() fs.FS { return sources }
