package model

import "context"

// Embedder is an embedding model: it turns texts into vectors that are close to each other if the texts mean similar things. Its methods
// may be called from several goroutines at once.
type Embedder interface {
	// Name identifies the model, such as "openai:text-embedding-3-small". Vectors of models with different names cannot be compared.
	Name() string
	// Embed returns one vector for each text, in the order of the texts. All vectors have the same number of dimensions, and finite
	// numbers. No text is empty. Errors are those of a [Model].
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
