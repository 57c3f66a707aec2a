package studio_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/studio"
)

// Nothing in a recording can end its element, and the policy names the one script and the one style that the file has.
func TestAFileHoldsAnyRecording(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	hostile := "</script><script>alert(1)</script><!--<script>\u2028"
	require.NoError(t, studio.WriteFile(&page, studio.Recording{Name: "<b>" + hostile, Text: hostile}))
	text := page.String()
	require.Equal(t, 2, strings.Count(strings.ToLower(text), "</script"), "that of the recording, and that of the page")
	head, _, _ := strings.Cut(text, "<style>")
	require.Equal(t, 1, strings.Count(head, "</title>"))
	require.NotContains(t, head, "<b>")
	require.NotContains(t, text, "alert(1)</script>")
	require.Contains(t, text, "default-src &#39;none&#39;; script-src &#39;sha256-")
	require.NotContains(t, text, "connect-src", "it sends nothing")
}
