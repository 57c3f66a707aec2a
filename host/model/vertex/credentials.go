//go:build !no_cloud

package vertex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/text"
)

// variableFile is the variable with the path of a credentials file.
const variableFile = "GOOGLE_APPLICATION_CREDENTIALS"

// scope is what access tokens allow.
const scope = "https://www.googleapis.com/auth/cloud-platform"

const (
	maxFile      = 64 << 10         // of a credentials file, in bytes
	tokenTimeout = 30 * time.Second // of a request for a token
)

// login says how to get new credentials.
const login = `run "gcloud auth application-default login", or set ` + variableFile + " to the key file of a service account"

// credentialsOnce holds the credentials once they are found.
type credentialsOnce struct {
	mu     sync.Mutex
	tokens oauth2.TokenSource // nil: not found yet
	own    string             // the project of the credentials
	quota  string             // the project that pays for a person's requests; "": none
}

// variable returns the variable that names the credentials; "" if they have another source.
func (c *connection) variable() string {
	if c.value(variableFile) != "" {
		return variableFile
	}
	return ""
}

// source describes where the credentials come from.
func (c *connection) source() string {
	if c.variable() != "" {
		return variableFile
	}
	return "Google's application default credentials"
}

// result is what a wait for a token ends with.
type result struct {
	token *oauth2.Token
	err   error
}

// token returns an access token, and the project and the quota project of the credentials.
func (c *connection) token(ctx context.Context) (token, project, quota string, err error) {
	done := make(chan result, 1)
	go func() { // the oauth2 package takes no context; its client has a timeout
		tokens, err := c.find()
		if err != nil {
			done <- result{nil, err}
			return
		}
		token, err := tokens.Token()
		done <- result{token, err}
	}()
	select {
	case <-ctx.Done():
		return "", "", "", ctx.Err()
	case got := <-done:
		if got.err != nil {
			return "", "", "", provider.Unauthorized(c.options.Name, explained(got.err))
		}
		c.found.mu.Lock()
		defer c.found.mu.Unlock()
		return got.token.AccessToken, c.found.own, c.found.quota, nil
	}
}

// find finds the credentials: https://cloud.google.com/docs/authentication/application-default-credentials.
func (c *connection) find() (oauth2.TokenSource, error) {
	c.found.mu.Lock()
	defer c.found.mu.Unlock()
	if c.found.tokens != nil {
		return c.found.tokens, nil
	}
	client := &http.Client{Timeout: tokenTimeout, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, client)
	found, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	var about struct {
		Quota string `json:"quota_project_id"`
	}
	if len(found.JSON) > 0 {
		if err := json.Unmarshal(found.JSON, &about); err != nil {
			return nil, errors.New("the credentials are not valid JSON")
		}
	}
	c.found.own, c.found.quota = found.ProjectID, about.Quota
	if c.found.own == "" {
		c.found.own = about.Quota
	}
	c.found.tokens = oauth2.ReuseTokenSource(nil, found.TokenSource)
	return c.found.tokens, nil
}

// read reads the credentials file, or looks where gcloud and Google's machines have the default ones.
func (c *connection) read(ctx context.Context) (*google.Credentials, error) {
	path := c.value(variableFile)
	if path == "" {
		return google.FindDefaultCredentials(ctx, scope)
	}
	content, err := regularfile.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variableFile, err)
	}
	var about struct {
		Type google.CredentialsType `json:"type"`
	}
	if err := json.Unmarshal(content, &about); err != nil {
		return nil, errors.New("the file that " + variableFile + " names is not valid JSON")
	}
	if set, _ := c.process(variableFile); set == "" && about.Type != google.ServiceAccount {
		return nil, fmt.Errorf("the file that %s names in env_file has the type %.50q; from there, only the key of a service account is accepted: "+
			"set the variable in the environment", variableFile, about.Type)
	}
	return google.CredentialsFromJSONWithType(ctx, content, about.Type, scope)
}

// explained returns why there is no token. It leaves out the body of the token server's response, which may echo a secret.
func explained(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		why := refusalOf(refused)
		return fmt.Errorf("the token server refuses the credentials: %s; %s", text.Head(text.Clean(why), 300), login)
	}
	return fmt.Errorf("there is no access token of Google Cloud: %s; %s", text.Head(text.Clean(err.Error()), 500), login)
}

// refusalOf returns the code and the description of a refusal, or its status.
func refusalOf(e *oauth2.RetrieveError) string {
	said := struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{e.ErrorCode, e.ErrorDescription}
	if said.Error == "" { // the package reads it only for some kinds of credentials
		if err := json.Unmarshal(e.Body, &said); err != nil || said.Error == "" {
			return e.Response.Status
		}
	}
	if said.Description == "" {
		return said.Error
	}
	return said.Error + ": " + said.Description
}

// sign adds an access token to a request.
func (c *connection) sign(ctx context.Context, req *http.Request, _ []byte) ([]string, error) {
	token, _, quota, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if quota != "" && req.Header.Get("X-Goog-User-Project") == "" {
		req.Header.Set("X-Goog-User-Project", quota)
	}
	return []string{token}, nil
}
