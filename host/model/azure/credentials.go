//go:build !no_cloud

package azure

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/text"
)

// These are the variables of a client secret, which may also be in the manifest's env_file. All others of azidentity count only in the
// process's own environment, where it reads them.
const (
	variableTenant = "AZURE_TENANT_ID"
	variableClient = "AZURE_CLIENT_ID"
	variableSecret = "AZURE_CLIENT_SECRET" //nolint:gosec // a name
)

// early is how long before its end a token is renewed.
const early = 5 * time.Minute

// hasSecret reports whether there is a client secret.
func (c *connection) hasSecret() bool {
	return c.credential == nil && c.value(variableTenant) != "" && c.value(variableClient) != "" && c.value(variableSecret) != ""
}

// secretVariables returns the variables with the credentials; none if they are not in variables.
func (c *connection) secretVariables() []string {
	if c.hasSecret() {
		return []string{variableSecret}
	}
	return nil
}

// source describes where the credentials come from.
func (c *connection) source() string {
	switch {
	case c.credential != nil:
		return "the credential of the program"
	case c.hasSecret():
		return variableSecret
	default:
		return "an identity of Azure"
	}
}

// find returns what gives tokens. The caller occupies busy.
func (c *connection) find() (azcore.TokenCredential, error) {
	if c.credential != nil {
		return c.credential, nil
	}
	var err error
	if c.hasSecret() {
		c.credential, err = azidentity.NewClientSecretCredential(c.value(variableTenant), c.value(variableClient), c.value(variableSecret), nil)
	} else {
		c.credential, err = azidentity.NewDefaultAzureCredential(nil)
	}
	return c.credential, err
}

// scope is what tokens are for.
func (c *connection) scope() string {
	for _, cloud := range []string{"us", "cn"} {
		if strings.HasSuffix(c.host, ".azure."+cloud) {
			return "https://cognitiveservices.azure." + cloud + "/.default"
		}
	}
	return "https://cognitiveservices.azure.com/.default"
}

// sign adds a token to a request. One request at a time fetches a token, and the others wait for it. If that request is cancelled, the next
// one fetches the token with its own context.
func (c *connection) sign(ctx context.Context, req *http.Request, _ []byte) ([]string, error) {
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	now := time.Now() //nolint:forbidigo // Entra ID sets the end of tokens by its own clock
	if c.token.Token == "" || now.Add(early).After(c.token.ExpiresOn) {
		from, err := c.find()
		if err == nil {
			c.token, err = from.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{c.scope()}})
		}
		if err != nil {
			said := text.Head(text.Clean(err.Error()), 500)
			if c.misspelt != "" {
				return nil, fmt.Errorf("%s; without it, there is no token of Entra ID either: %s", provider.Rename(c.misspelt, KeyVariable), said)
			}
			return nil, fmt.Errorf(`there is no token of Entra ID: %s; set %s, or %s, %s and %s, or run "az login"`,
				said, KeyVariable, variableTenant, variableClient, variableSecret)
		}
	}
	req.Header.Set("Authorization", "Bearer "+c.token.Token)
	return []string{c.token.Token}, nil
}
