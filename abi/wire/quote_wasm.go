package wire

// quote shows a key in an error. A guest leaves escaping the text to the host, because strconv.Quote takes 6 KB.
func quote(key []byte) string { return `"` + string(key) + `"` }
