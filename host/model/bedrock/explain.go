//go:build !no_cloud

package bedrock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// explain says what an error of AWS means, and what to do:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html#API_runtime_InvokeModel_Errors.
func (c *connection) explain(header http.Header, body []byte, failed *model.Error) {
	code := codeOf(header, body)
	said := strings.ToLower(failed.Err.Error())
	var advice string
	switch code {
	case "AccessDeniedException":
		advice = "request access to the model in the Bedrock console of " + c.region + ", and allow bedrock:InvokeModel and " +
			"bedrock:InvokeModelWithResponseStream in the IAM policy"
	case "ExpiredTokenException", "ExpiredToken":
		failed.Kind, advice = model.ErrorAuthentication, "the AWS session has expired; run \"aws sso login\", or renew AWS_SESSION_TOKEN"
	case "UnrecognizedClientException", "InvalidClientTokenId", "InvalidSignatureException", "IncompleteSignature", "MissingAuthenticationTokenException":
		failed.Kind, advice = model.ErrorAuthentication, "check the AWS credentials ("+c.source()+"), the region "+c.region+" and the clock of this machine"
	case "ResourceNotFoundException":
		failed.Kind, advice = model.ErrorNotFound, "the model may not be offered in "+c.region+"; choose another region or an inference profile"
	case "ThrottlingException":
		failed.Kind, failed.Retryable = model.ErrorRateLimit, true
	case "ServiceQuotaExceededException":
		failed.Kind, failed.Retryable, advice = model.ErrorQuota, false, "ask for a higher quota of the model in the Service Quotas console"
	case "ModelErrorException":
		failed.Kind, failed.Retryable = model.ErrorServer, true
	case "ValidationException":
		switch {
		case strings.Contains(said, "on-demand throughput"):
			advice = "use an inference profile as the name, such as us." + c.options.Model
		case strings.Contains(said, "model identifier is invalid"):
			failed.Kind, advice = model.ErrorNotFound, "check the model id, and whether "+c.region+" offers it"
		}
	}
	if advice != "" {
		failed.Err = fmt.Errorf("%w; %s", failed.Err, advice)
	}
}

// codeOf returns the code of an error, such as "ThrottlingException". AWS sends it in a header, sometimes followed by an address, or in
// the body, sometimes after a namespace.
func codeOf(header http.Header, body []byte) string {
	code := header.Get("X-Amzn-Errortype")
	if code == "" {
		var said struct {
			Type string `json:"__type"`
		}
		if err := json.Unmarshal(body, &said); err != nil {
			return ""
		}
		code = said.Type
	}
	code, _, _ = strings.Cut(code, ":")
	return code[strings.LastIndex(code, "#")+1:]
}
