package mask

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
)

// jsonString escapes as most programs do; encoding/json also escapes <, > and &.
var jsonString = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`)

// formsOf returns the forms in which programs pass on a text by accident.
func formsOf(value string) []string {
	b := []byte(value)
	quoted, _ := json.Marshal(value) //nolint:errchkjson // a string
	forms := make([]string, 0, 20)
	forms = append(forms, value, jsonString.Replace(value), string(quoted[1:len(quoted)-1]), url.QueryEscape(value), url.PathEscape(value),
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)))
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, e.EncodeToString(b), e.WithPadding(base64.NoPadding).EncodeToString(b))
		// Inside a longer text, as in "user:password", the value begins at one of three places in a group. Drop its first
		// and last letters, which also depend on the neighbors.
		for shift := range 3 {
			text := e.EncodeToString(append(make([]byte, shift), value...))
			forms = append(forms, text[(shift*8+5)/6:(shift+len(value))*8/6])
		}
	}
	return forms
}
