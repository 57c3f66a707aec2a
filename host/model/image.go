package model

// AcceptsImage reports whether the models of all providers accept images of a MIME type, which has no parameters.
func AcceptsImage(mime string) bool {
	switch mime {
	case "image/gif", "image/jpeg", "image/png", "image/webp":
		return true
	}
	return false
}
