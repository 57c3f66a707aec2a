//go:build !no_cloud

package azure

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// explain says what to do about an error, and what the content filter has found in the prompt:
// https://learn.microsoft.com/en-us/azure/ai-foundry/openai/concepts/content-filter.
func (c *connection) explain(_ http.Header, body []byte, failed *model.Error) {
	var said struct {
		Error struct {
			Code  string `json:"code"`
			Inner struct {
				Code   string          `json:"code"`
				Result json.RawMessage `json:"content_filter_result"`
			} `json:"innererror"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		said.Error.Code = ""
	}
	var advice string
	switch {
	case said.Error.Inner.Code == "ResponsibleAIPolicyViolation" || failed.Kind == model.ErrorContentFilter:
		failed.Kind, failed.Retryable = model.ErrorContentFilter, false
		if found := provider.Filtered(said.Error.Inner.Result); len(found) > 0 {
			advice = "the filter found " + strings.Join(found, ", ")
		}
	case said.Error.Code == "DeploymentNotFound":
		failed.Kind, advice = model.ErrorNotFound, fmt.Sprintf("%q must be the name of a deployment of %s", c.options.Model, c.host)
	case failed.Status == http.StatusUnauthorized:
		advice = "check " + KeyVariable + ", or that the identity has the role \"Cognitive Services OpenAI User\""
	case failed.Status == http.StatusForbidden:
		advice = "give the identity the role \"Cognitive Services OpenAI User\", and check the resource's network rules"
	case failed.Status == http.StatusNotFound:
		advice = "check the endpoint " + c.host + " and the version of the API"
	}
	if advice != "" {
		failed.Err = fmt.Errorf("%w; %s", failed.Err, advice)
	}
}
