//go:build !no_cloud

package bedrock

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// regionName is the form of a region. It becomes a part of a host name.
var regionName = lazyregexp.New(`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`)

// ownHost is the form of Bedrock's host names, with the region: public ones, those that comply with FIPS, and those of a VPC.
var ownHost = lazyregexp.New(
	`^(?:vpce-[a-z0-9-]+\.)?bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws|vpce\.amazonaws\.com)$`,
)

// owns reports whether a host is one of Bedrock.
func owns(host string) bool { return ownHost().MatchString(host) }

// addressOf returns the address of Bedrock in a region.
func addressOf(region string) string {
	suffix := "amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		suffix += ".cn"
	}
	return "https://bedrock-runtime." + region + "." + suffix + "/"
}

// findRegion returns the region: as configured, of the address, of the variables, or of the profile.
func (c *connection) findRegion(configured string) (string, error) {
	region := configured
	if base, err := url.Parse(c.options.BaseURL); err == nil && region == "" {
		if match := ownHost().FindStringSubmatch(strings.ToLower(base.Hostname())); match != nil {
			region = match[1]
		}
	}
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region == "" {
			region = c.value(name)
		}
	}
	if region == "" {
		if loaded, err := c.load(); err == nil {
			region = loaded.Region
		}
	}
	switch {
	case region == "":
		return "", provider.Unset(c.options.Name, `the AWS region is not set; set "region" of the model, such as eu-central-1, or AWS_REGION`)
	case !regionName().MatchString(region):
		return "", provider.Unsendable(c.options.Name, fmt.Errorf("%.50q is not an AWS region; use one such as eu-central-1", region))
	default:
		return region, nil
	}
}
