package provider

import (
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/headerfield"
)

// checkHeaders refuses headers that HTTP does not allow.
func checkHeaders(name string, headers map[string]string) error {
	for _, header := range slices.Sorted(maps.Keys(headers)) {
		switch {
		case !headerfield.IsName(header):
			return Unsendable(name, &model.HeaderError{Header: header, Problem: "is not a valid name; use letters, digits and \"-\""})
		case !headerfield.IsValue(headers[header]):
			return Unsendable(name, &model.HeaderError{Header: header, Problem: "has a value with a line break or another control character; remove it"})
		}
	}
	return nil
}
