package strictyaml

// OrderedMap is a mapping whose entries keep the order of the file.
type OrderedMap[V any] []Entry[V]

// Entry is one key of an OrderedMap with its value.
type Entry[V any] struct {
	Key   string
	Value V
	// Node is the value's node, for the place of problems that are found later.
	Node Node
}

// Get returns the value of a key.
func (m OrderedMap[V]) Get(key string) (V, bool) {
	for _, e := range m {
		if e.Key == key {
			return e.Value, true
		}
	}
	var zero V
	return zero, false
}

// Keys returns the keys in the order of the file.
func (m OrderedMap[V]) Keys() []string {
	keys := make([]string, len(m))
	for i, e := range m {
		keys[i] = e.Key
	}
	return keys
}

// UnmarshalStrict implements [Unmarshaler].
func (m *OrderedMap[V]) UnmarshalStrict(n Node) error {
	values := map[string]Node{}
	if err := n.Decode(&values); err != nil {
		return err
	}
	var errs []error
	*m = make(OrderedMap[V], 0, len(values))
	for _, key := range n.Keys() {
		e := Entry[V]{Key: key, Node: values[key]}
		errs = append(errs, e.Node.Decode(&e.Value))
		*m = append(*m, e)
	}
	return Join(errs...)
}
