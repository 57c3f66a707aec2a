// Package imagetype says which images a model can be shown.
package imagetype

// Shown reports whether the models of all providers take images of a MIME type, without parameters.
func Shown(mime string) bool {
	switch mime {
	case "image/gif", "image/jpeg", "image/png", "image/webp":
		return true
	}
	return false
}
