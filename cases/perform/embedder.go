package perform

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/host/model"
)

// missingEmbedder is the embedding model of a case without a cassette: the case must not ask a provider. It only fails when it is asked,
// because the agent may not use its store in the case.
type missingEmbedder struct {
	path string // of the case
	name string
}

// Name identifies no model, so that its vectors are compared with none.
func (*missingEmbedder) Name() string { return "none" }

// Embed fails.
func (e *missingEmbedder) Embed(context.Context, []string) ([][]float32, error) {
	return nil, &model.Error{Provider: "case", Kind: model.ErrorInvalidRequest, Err: fmt.Errorf(
		"the case %s would ask a real embedding model for %s; name a cassette under the key cassette, "+
			"and record it with 'agenthost test --record'", e.path, e.name)}
}
