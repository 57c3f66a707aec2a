package probe

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// Field is a state field that a file declares.
type Field struct {
	abi.FieldSpec
	Untracked bool // never stored; absent at the start of every run and resume
}

// Fields reads the declarations of state fields. It returns none if o is nil.
func Fields(o *strict.Object) []Field {
	if o == nil {
		return nil
	}
	var fields []Field
	for _, name := range o.Keys() {
		field := o.Object(name)
		f := Field{FieldSpec: abi.FieldSpec{Name: name}}
		if schema := field.Object("schema"); schema != nil {
			f.Schema = field.Map("schema").Raw()
		}
		switch field.OneOf("visibility", "public", "omit_input", "omit_output", "private") {
		case "omit_input":
			f.HideInput = true
		case "omit_output":
			f.HideOutput = true
		case "private":
			f.HideInput, f.HideOutput = true, true
		}
		switch field.OneOf("lifetime", "thread", "ephemeral", "untracked") {
		case "ephemeral":
			f.Lifetime = "step"
		case "untracked":
			f.Lifetime, f.Untracked = "run", true
		default:
			f.Lifetime = "thread"
		}
		f.Reducer = field.OneOf("reducer", "last", "add", "append")
		_ = field.Done()
		fields = append(fields, f)
	}
	return fields
}
