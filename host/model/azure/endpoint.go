//go:build !no_cloud

package azure

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// ownDomain is the domain of the endpoints of Azure OpenAI.
const ownDomain = "openai.azure.com"

// ownHost is the form of the host names of Azure OpenAI and Azure AI Foundry, in all of Azure's clouds.
var ownHost = lazyregexp.New(`^[a-z0-9-]+\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$`)

// owns reports whether a host is one of Azure OpenAI.
func owns(host string) bool { return ownHost().MatchString(host) }

// endpoint returns the address of the resource, without the part of the path that all resources share.
func (c *connection) endpoint() (string, error) {
	address := c.options.BaseURL
	if address == "" {
		address = c.value(EndpointVariable)
	}
	if address == "" {
		return "", provider.Unset(c.options.Name, "the endpoint of Azure OpenAI is not set; set base_url of the model, such as https://NAME."+ownDomain+
			", or "+EndpointVariable)
	}
	u, err := url.Parse(address)
	if err != nil { // which may show a key in the address
		return "", provider.Unsendable(c.options.Name, errors.New("the endpoint must be an https URL, such as https://NAME."+ownDomain))
	}
	path := strings.TrimSuffix(u.Path, "/")
	for _, shared := range []string{"/openai/v1", "/openai"} {
		if rest, ok := strings.CutSuffix(path, shared); ok {
			path = rest
			break
		}
	}
	u.Path, u.RawPath = path, ""
	return u.String(), nil
}

// checkEndpoint refuses to send credentials of the process to an endpoint that only a file of variables names. The variables are those
// with the credentials; none means that they are in no variable.
func (c *connection) checkEndpoint(variables []string) error {
	if c.options.BaseURL != "" || c.ofProcess(EndpointVariable) {
		return nil
	}
	for _, name := range variables {
		if c.ofProcess(name) {
			return c.redirected(name + " of the environment")
		}
	}
	if len(variables) == 0 {
		return c.redirected(c.source())
	}
	return nil
}

func (c *connection) redirected(what string) error {
	return provider.Unsendable(c.options.Name, fmt.Errorf("%s is set in env_file only, and would get %s; set base_url of the model, or %s in the environment",
		EndpointVariable, what, EndpointVariable))
}

// versionName is the form of versions of the API.
var versionName = lazyregexp.New(`^20[0-9]{2}-[0-9]{2}-[0-9]{2}(-preview)?$`)

// findVersion returns the dated version of the API; "" for the API v1.
func (c *connection) findVersion(configured string) (string, error) {
	version := configured
	if version == "" {
		version = c.value(VersionVariable)
	}
	switch {
	case version == "", version == "v1":
		return "", nil
	case !versionName().MatchString(version):
		return "", provider.Unsendable(c.options.Name, fmt.Errorf(
			"%.50q is not a version of the API of Azure OpenAI; use one such as 2025-04-01-preview, or v1", version))
	default:
		return version, nil
	}
}
