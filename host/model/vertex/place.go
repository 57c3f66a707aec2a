//go:build !no_cloud

package vertex

import (
	"fmt"

	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// defaultLocation serves a model from wherever there is room.
const defaultLocation = "global"

// These are the forms of locations, which become a part of a host name, and of projects, which become a part of a path.
var (
	locationName = lazyregexp.New(`^[a-z]+(-[a-z]+[0-9]{1,2})?$`)
	projectName  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9.:_-]{0,100}$`)
)

// ownHost is the form of the host names of Vertex AI.
var ownHost = lazyregexp.New(`^(?:[a-z]+-[a-z]+[0-9]{1,2}-)?aiplatform\.googleapis\.com$|^aiplatform\.(?:us|eu)\.rep\.googleapis\.com$`)

// owns reports whether a host is one of Vertex AI.
func owns(host string) bool { return ownHost().MatchString(host) }

// addressOf returns the address of Vertex AI in a location.
func addressOf(location string) string {
	switch location {
	case defaultLocation:
		return "https://aiplatform.googleapis.com/"
	case "us", "eu": // several regions
		return "https://aiplatform." + location + ".rep.googleapis.com/"
	default:
		return "https://" + location + "-aiplatform.googleapis.com/"
	}
}

func (c *connection) findLocation(configured string) (string, error) {
	location := configured
	for _, other := range []string{c.value("GOOGLE_CLOUD_LOCATION"), defaultLocation} {
		if location == "" {
			location = other
		}
	}
	if !locationName().MatchString(location) {
		return "", provider.Unsendable(c.options.Name, fmt.Errorf("%.50q is not a location of Google Cloud; use one such as europe-west4, or global", location))
	}
	return location, nil
}

// findProject returns the configured project; "" if only the credentials can tell.
func (c *connection) findProject(configured string) (string, error) {
	project := configured
	if project == "" {
		project = c.value("GOOGLE_CLOUD_PROJECT")
	}
	if project != "" && !projectName().MatchString(project) {
		return "", provider.Unsendable(c.options.Name, fmt.Errorf("%.50q is not the id of a project of Google Cloud", project))
	}
	return project, nil
}
