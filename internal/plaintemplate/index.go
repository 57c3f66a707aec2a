package plaintemplate

import (
	"errors"
	"fmt"
	"math"
)

// length is the function len.
func length(args []value) (value, error) {
	switch x := args[0].data.(type) {
	case string:
		return value{data: len(x)}, nil
	case []byte:
		return value{data: len(x)}, nil
	case []any:
		return value{data: len(x)}, nil
	case map[string]any:
		return value{data: len(x)}, nil
	case nil:
		return value{}, errors.New("len of nil pointer")
	default:
		return value{}, fmt.Errorf("len of type %T", x)
	}
}

// index is the function index: (index x 1 "a") is the item "a" of the item 1 of x. A key that a map lacks gives nil.
func index(args []value) (value, error) {
	item := args[0]
	if item.data == nil {
		return value{}, errors.New("index of untyped nil")
	}
	for _, at := range args[1:] {
		next, err := indexOnce(item.data, at.data)
		if err != nil {
			return value{}, err
		}
		item = next
	}
	return item, nil
}

func indexOnce(item, at any) (value, error) {
	switch x := item.(type) {
	case string:
		i, err := position(at, len(x))
		if err != nil {
			return value{}, err
		}
		return value{data: uint64(x[i])}, nil
	case []byte:
		i, err := position(at, len(x))
		if err != nil {
			return value{}, err
		}
		return value{data: uint64(x[i])}, nil
	case []any:
		i, err := position(at, len(x))
		if err != nil {
			return value{}, err
		}
		return value{x[i], true}, nil
	case map[string]any:
		switch key := at.(type) {
		case string:
			return value{x[key], true}, nil
		case nil:
			return value{}, errors.New("value is nil; should be of type string")
		default:
			return value{}, fmt.Errorf("value has type %T; should be string", key)
		}
	case nil:
		return value{}, errors.New("index of nil pointer")
	default:
		return value{}, fmt.Errorf("can't index item of type %T", x)
	}
}

// position returns an index into something of the length n.
func position(at any, n int) (int, error) {
	var i int64
	switch x := at.(type) {
	case int:
		i = int64(x)
	case int64:
		i = x
	case uint64:
		i = int64(min(x, math.MaxInt64))
	case nil:
		return 0, errors.New("cannot index slice/array with nil")
	default:
		return 0, fmt.Errorf("cannot index slice/array with type %T", x)
	}
	if i < 0 || i >= int64(n) {
		return 0, fmt.Errorf("index out of range: %d", i)
	}
	return int(i), nil
}
