package wire

// quote shows a key in an error. In a guest it leaves it to the host to make the text fit to be shown: strconv.Quote takes 6 KB.
func quote(key []byte) string { return `"` + string(key) + `"` }
