//go:build !no_cloud

package bedrock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/logging"

	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/text"
)

// These are the variables with credentials. They are also read from the manifest's env_file. All others, such as those with the address
// of a credential service, count only in the process's own environment, where the SDK reads them.
const (
	variableKeyID   = "AWS_ACCESS_KEY_ID"
	variableSecret  = "AWS_SECRET_ACCESS_KEY" //nolint:gosec // a name
	variableSession = "AWS_SESSION_TOKEN"
	variableProfile = "AWS_PROFILE"
)

// credentialsOnce holds what the SDK has found in its files.
type credentialsOnce struct {
	once   sync.Once
	config aws.Config
	err    error
}

// load reads the SDK's configuration. It sends nothing: credentials are fetched when a request needs them.
func (c *connection) load() (aws.Config, error) {
	c.found.once.Do(func() {
		options := []func(*config.LoadOptions) error{
			config.WithRegion(c.region), config.WithLogger(logging.Nop{}), // its warnings would go to standard error; errors say enough
		}
		if profile := c.value(variableProfile); profile != "" {
			options = append(options, config.WithSharedConfigProfile(profile))
		}
		c.found.config, c.found.err = config.LoadDefaultConfig(context.Background(), options...)
	})
	return c.found.config, c.found.err
}

// variable returns the variable that holds the credentials; "" if they have another source.
func (c *connection) variable() string {
	if c.value(variableKeyID) != "" {
		return variableKeyID
	}
	return ""
}

// source describes where the credentials come from.
func (c *connection) source() string {
	switch profile := c.value(variableProfile); {
	case c.variable() != "":
		return variableKeyID
	case profile != "":
		return fmt.Sprintf("the AWS profile %q", profile)
	default:
		return "the AWS credential chain"
	}
}

// check returns an error if it is certain, without a request, that there are no credentials: half a pair is set, or the SDK cannot read its
// files, for example because the profile does not exist.
func (c *connection) check() error {
	if c.variable() == "" {
		_, err := c.load()
		if err != nil {
			return provider.Unset(c.options.Name, c.noCredentials(err).Error())
		}
		return nil
	}
	if c.value(variableSecret) == "" {
		return provider.Unset(c.options.Name, variableKeyID+" is set, but "+variableSecret+" is not; set both")
	}
	return nil
}

// credentials returns the credentials for a request. The connection has been checked.
func (c *connection) credentials(ctx context.Context) (aws.Credentials, error) {
	if id := c.value(variableKeyID); id != "" {
		return aws.Credentials{AccessKeyID: id, SecretAccessKey: c.value(variableSecret), SessionToken: c.value(variableSession)}, nil
	}
	loaded, err := c.load()
	if err != nil {
		return aws.Credentials{}, c.noCredentials(err)
	}
	found, err := loaded.Credentials.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, c.noCredentials(err)
	}
	return found, nil
}

// noCredentials explains why the SDK has no credentials.
func (c *connection) noCredentials(err error) error {
	why := text.Head(text.Clean(err.Error()), 500)
	if strings.Contains(why, "no EC2 IMDS role found") { // the last place that the SDK looks at
		why = "neither the environment nor the AWS files nor the machine has any"
	}
	login := "aws sso login"
	if profile := c.value(variableProfile); profile != "" {
		login += " --profile " + text.Clean(profile)
	}
	if strings.Contains(why, "SSO") || strings.Contains(why, "sso") {
		return fmt.Errorf("the AWS session cannot be used: %s; run %q", why, login)
	}
	return fmt.Errorf("there are no AWS credentials: %s; set %s and %s, %s, or %s; or run %q", why, variableKeyID, variableSecret, variableProfile,
		KeyVariable, login)
}

// sign adds the signature of a request: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html.
func (c *connection) sign(ctx context.Context, req *http.Request, body []byte) ([]string, error) {
	with, err := c.credentials(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	at := time.Now() //nolint:forbidigo // AWS compares it with its own clock
	err = v4.NewSigner().SignHTTP(ctx, with, req, hex.EncodeToString(sum[:]), "bedrock", c.region, at)
	return []string{with.SecretAccessKey, with.SessionToken}, err
}
