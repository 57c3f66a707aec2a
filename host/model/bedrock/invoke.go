//go:build !no_cloud

package bedrock

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// apiVersion is the version of Anthropic's API that Bedrock wants in the body.
const apiVersion = "bedrock-2023-05-31"

// adapt makes InvokeModel of a call of Anthropic's API: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html.
// The path names the model and says whether the answer is streamed.
func (c *connection) adapt(_ context.Context, call *provider.Call) error {
	delete(call.Body, "model")
	delete(call.Body, "stream")
	if call.Body["anthropic_version"] == nil {
		call.Body["anthropic_version"] = apiVersion
	}
	if betas := c.betas(); len(betas) > 0 && call.Body["anthropic_beta"] == nil {
		call.Body["anthropic_beta"] = betas
	}
	operation := "invoke"
	call.Header = http.Header{"Accept": {"application/json"}}
	if call.Stream {
		operation = "invoke-with-response-stream"
		call.Header = http.Header{"Accept": {contentType}, "X-Amzn-Bedrock-Accept": {"application/json"}}
	}
	call.Path = "model/" + c.options.Model + "/" + operation
	call.RawPath = "model/" + escaped(c.options.Model) + "/" + operation
	return nil
}

// escaped escapes everything but letters, digits and -._~, as the signature requires.
func escaped(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "+", "%20") }

// betas returns the features of the header anthropic-beta, which Bedrock takes from the body.
func (c *connection) betas() (out []string) {
	for name, value := range c.options.Headers {
		if !strings.EqualFold(name, "anthropic-beta") {
			continue
		}
		for beta := range strings.SplitSeq(value, ",") {
			if beta = strings.TrimSpace(beta); beta != "" && !slices.Contains(out, beta) {
				out = append(out, beta)
			}
		}
	}
	return out
}
