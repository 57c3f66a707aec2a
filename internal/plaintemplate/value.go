package plaintemplate

import "fmt"

// value is a value during an execution. Package text/template distinguishes the value nil of an item of a map or list, which
// is boxed, from no value at all, and its errors do too.
type value struct {
	data  any
	boxed bool
}

// truth reports whether a value is not the zero value of its type, and not empty.
func (v value) truth() bool {
	switch x := v.data.(type) {
	case nil:
		return false
	case bool:
		return x
	case int:
		return x != 0
	case int64:
		return x != 0
	case uint64:
		return x != 0
	case float64:
		return x != 0
	case string:
		return x != ""
	case []byte:
		return len(x) > 0
	case []any:
		return len(x) > 0
	case map[string]any:
		return len(x) > 0
	default:
		return true
	}
}

func (v value) typeName() string {
	if v.boxed {
		return "interface {}"
	}
	return fmt.Sprintf("%T", v.data)
}
