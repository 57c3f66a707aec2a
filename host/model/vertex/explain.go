//go:build !no_cloud

package vertex

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

// explain says what to do about an error.
func (c *connection) explain(_ http.Header, _ []byte, failed *model.Error) {
	said := failed.Err.Error()
	var advice string
	switch failed.Status {
	case http.StatusUnauthorized:
		failed.Kind, advice = model.ErrorAuthentication, login
	case http.StatusForbidden:
		if strings.Contains(said, "has not been used in project") || strings.Contains(said, "it is disabled") {
			advice = `run "gcloud services enable aiplatform.googleapis.com"`
			break
		}
		advice = "give the account the role roles/aiplatform.user in the project"
	case http.StatusNotFound:
		advice = "check the name of the model, and whether the location " + c.location + " offers it"
		if c.options.API == anthropic.Provider {
			advice += "; Anthropic's models must first be enabled in the Model Garden of the project"
		}
	}
	if advice != "" {
		failed.Err = fmt.Errorf("%w; %s", failed.Err, advice)
	}
}
