package model

// MaxImage is the size of the largest image that every provider accepts, in bytes.
const MaxImage = 3_750_000

// AcceptsImage reports whether every provider accepts images of this MIME type. The type must have no parameters.
func AcceptsImage(mime string) bool {
	switch mime {
	case "image/gif", "image/jpeg", "image/png", "image/webp":
		return true
	}
	return false
}
