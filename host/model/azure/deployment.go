//go:build !no_cloud

package azure

import (
	"context"
	"net/url"

	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// adapt gives a call the path of the deployment: https://learn.microsoft.com/en-us/azure/ai-foundry/openai/api-version-lifecycle. The
// API v1 and Responses name the deployment in the body, as the field "model".
func (c *connection) adapt(_ context.Context, call *provider.Call) error {
	switch {
	case c.version == "":
		call.Path = "openai/v1/" + call.Path
		return nil
	case call.Path == "responses":
		call.Path = "openai/responses"
	default:
		call.Path = "openai/deployments/" + c.options.Model + "/" + call.Path
	}
	call.Query = "api-version=" + url.QueryEscape(c.version)
	return nil
}
