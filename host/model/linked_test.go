package model_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The SDKs of clouds are only linked by those who import the package of the cloud.
func TestACloudIsOnlyLinkedWithItsPackage(t *testing.T) {
	t.Parallel()
	const of = "github.com/agenthost/agenthost/"
	sdks := []string{"github.com/aws/", "github.com/Azure/", "github.com/AzureAD/", "golang.org/x/oauth2", "cloud.google.com/"}
	for name, own := range map[string]string{
		"host": "", "builtin": "", "host/plugin": "", "host/model/anthropic": "", "host/model/gemini": "", "host/model/openai": "",
		"host/model/bedrock": "github.com/aws/", "host/model/vertex": "golang.org/x/oauth2", "host/model/azure": "github.com/Azure/",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", of+name).CombinedOutput()
			require.NoError(t, err, string(out))
			linked := string(out)
			for _, sdk := range sdks {
				related := sdk == own || own == "github.com/Azure/" && sdk == "github.com/AzureAD/" || own == "golang.org/x/oauth2" && sdk == "cloud.google.com/"
				if !related {
					require.NotContains(t, linked, sdk)
				}
			}
			require.Contains(t, linked, own)
			require.True(t, own == "" || strings.Contains(linked, of+"host/model/internal/provider"))
		})
	}
}
