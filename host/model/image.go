package model

// AcceptsImage reports whether every provider accepts images of this MIME type. The type must have no parameters.
func AcceptsImage(mime string) bool {
	switch mime {
	case "image/gif", "image/jpeg", "image/png", "image/webp":
		return true
	}
	return false
}
