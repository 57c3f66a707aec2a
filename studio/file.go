package studio

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
)

// Recording is what a file shows: events, one in each line, in the form of docs/events.md or of the endpoint of events; or an exported thread.
type Recording struct {
	Name string `json:"name"` // for the title
	Text string `json:"text"`
}

// filePolicy is what the page may do in a file. It has no server, so it sends nothing.
const filePolicy = "default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data:; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'"

// WriteFile writes the page as a single file that shows a recording without a server or the network.
func WriteFile(to io.Writer, r Recording) error {
	recording, err := json.Marshal(r) // it escapes what could end the element
	if err != nil {
		return err
	}
	for end, text := range map[string][]byte{"</script": script, "</style": style} {
		if bytes.Contains(bytes.ToLower(text), []byte(end)) {
			return fmt.Errorf("studio: the page contains %q, which would end its element", end)
		}
	}
	_, err = fmt.Fprintf(to, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s · agenthost studio</title>
<link rel="icon" href="data:,">
<style>%s</style>
</head>
<body>
<div id="app"><p class="boot">Loading…</p></div>
<script type="application/json" id="recording">%s</script>
<script type="module">%s</script>
</body>
</html>
`, html.EscapeString(fmt.Sprintf(filePolicy, digest(script), digest(style))), html.EscapeString(r.Name), style, recording, script)
	return err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.StdEncoding.EncodeToString(sum[:])
}
