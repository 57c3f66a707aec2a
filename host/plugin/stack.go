package plugin

import (
	"math"
	"reflect"

	"github.com/tetratelabs/wazero/api"
)

// mostStack is how large the stack of an export may be after a call, in bytes. A hook in Python needs a tenth of it.
const mostStack = 1 << 20

// busyFuel is the fuel of a call after which the host looks at the stack: a call that used less has grown it by a few megabytes at most.
const busyFuel = 20_000

// trim drops the stack of an export if the call has left it large: it grows with the call depth, up to 100 MB, and wazero never shrinks it.
func (i *instance) trim(export string) {
	if i.used() > busyFuel && stackSize(i.funcs[export]) > mostStack {
		i.funcs[export] = i.module.ExportedFunction(export)
	}
}

// stackSize returns the size of a function's stack, in bytes. wazero does not offer it, so it is read from the field that holds the stack; a
// function without that field has a stack of unknown size, which counts as too large.
func stackSize(f api.Function) int {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return math.MaxInt
	}
	stack := v.Elem().FieldByName("stack")
	if !stack.IsValid() || stack.Kind() != reflect.Slice {
		return math.MaxInt
	}
	return stack.Len()
}
