//go:build !no_cloud

package vertex

import (
	"context"
	"strings"

	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// apiVersion is the version of Anthropic's API that Vertex AI wants in the body.
const apiVersion = "vertex-2023-10-16"

// adapt gives a call the path of the model in the project. Of a call of Anthropic's API it makes rawPredict or streamRawPredict:
// https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude. The version of Google's API is the one that
// Google's SDK uses.
func (c *connection) adapt(ctx context.Context, call *provider.Call) error {
	project := c.project
	if project == "" {
		_, own, _, err := c.token(ctx)
		if err != nil {
			return err
		}
		if project = own; !projectName().MatchString(project) {
			return provider.Unset(c.options.Name, `the project is not set, and the credentials name none; set "project" of the model, or GOOGLE_CLOUD_PROJECT`)
		}
	}
	place := "projects/" + project + "/locations/" + c.location + "/publishers/"
	if c.options.API != anthropic.Provider {
		_, operation, _ := strings.Cut(call.Path, ":")
		call.Path = "v1beta1/" + place + "google/models/" + strings.TrimPrefix(c.options.Model, "models/") + ":" + operation
		return nil
	}
	delete(call.Body, "model")
	if call.Body["anthropic_version"] == nil {
		call.Body["anthropic_version"] = apiVersion
	}
	operation := "rawPredict"
	if call.Stream {
		operation = "streamRawPredict"
	}
	call.Path = "v1/" + place + "anthropic/models/" + c.options.Model + ":" + operation
	return nil
}
