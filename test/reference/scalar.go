package reference

import "math/big"

// sameScalar compares values other than lists and maps. Numbers are equal if their values are equal, whatever their
// types.
func sameScalar(want, got any) bool {
	x, isNumber := number(want)
	if !isNumber {
		return want == got
	}
	y, ok := number(got)
	return ok && x.Cmp(y) == 0
}

func number(v any) (*big.Float, bool) {
	switch v := v.(type) {
	case int64:
		return new(big.Float).SetInt64(v), true
	case uint64:
		return new(big.Float).SetUint64(v), true
	case int:
		return new(big.Float).SetInt64(int64(v)), true
	case float64:
		return new(big.Float).SetFloat64(v), true
	default:
		return nil, false
	}
}
