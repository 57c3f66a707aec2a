package sdk

import "slices"

// Lifetimes of a [Field].
const (
	LifetimeThread = "thread" // the value lives as long as the thread
	LifetimeRun    = "run"    // the value lives as long as the run, including its interrupts
	LifetimeStep   = "step"   // the value lives only in the next step
)

// Reducers of a [Field].
const (
	ReduceAdd    = "add"    // numbers are added to the present value
	ReduceAppend = "append" // lists are appended to the present value
)

// Field is a state field of the plugin with values of the type T, which may be bool, int, int64, uint64, float64,
// string, []byte, []string, [Raw], [Map] or a struct with a generated codec. A hook that reads the field lists its
// name in Reads:
//
//	var calls = sdk.Field[int]{Name: "calls", Lifetime: sdk.LifetimeRun, Reducer: sdk.ReduceAdd}
//
//	sdk.Description{
//		Fields: []sdk.FieldSpec{calls.Spec()},
//		Hooks:  sdk.HookSpecs{BeforeModel: &sdk.HookSpec{Reads: []string{calls.Name}}},
//	}
type Field[T any] struct {
	Name       string
	Lifetime   string // empty: LifetimeThread
	Reducer    string // empty: the new value replaces the old one
	HideInput  bool   // the caller cannot set the field
	HideOutput bool   // results do not contain the field
	Schema     Raw    // schema of the values; empty: derived from T as far as possible
}

// Spec declares the field. It panics if T is not one of the supported types.
func (f Field[T]) Spec() FieldSpec {
	zero := new(T)
	if _, err := encode(zero); err != nil {
		panic("sdk.Field " + f.Name + ": " + err.Error())
	}
	spec := FieldSpec{
		Name: f.Name, Lifetime: f.Lifetime, Reducer: f.Reducer, HideInput: f.HideInput, HideOutput: f.HideOutput, Schema: f.Schema,
	}
	if spec.Lifetime == "" {
		spec.Lifetime = LifetimeThread
	}
	if spec.Schema.IsZero() {
		spec.Schema = schemaOf(zero)
	}
	return spec
}

// Get returns the value of the field as the hook sees it, or the zero value if the field is unset. It fetches a value
// that is too large for the input.
func (f Field[T]) Get(c AnyCall) (T, error) {
	var value T
	call := c.call()
	raw := call.State(f.Name)
	if raw.IsZero() && slices.Contains(call.Input().Large, f.Name) {
		fields, err := call.ReadFields(f.Name)
		if err != nil {
			return value, err
		}
		raw = fields.Get(f.Name)
	}
	if raw.IsZero() {
		return value, nil
	}
	err := decode(f.Name, raw, &value) // a statement of its own: value must be read after decode, whatever the compiler
	return value, err
}

// Set puts a value into the update. The value replaces the field or, with a reducer, is added to it.
func (f Field[T]) Set(u *Update, value T) {
	raw, err := encode(&value)
	if err != nil {
		panic("sdk.Field " + f.Name + ": " + err.Error())
	}
	u.State.Set(f.Name, raw)
}
