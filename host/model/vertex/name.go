package vertex

// These are the provider names of the models on Vertex AI.
const (
	Provider          = "google_vertexai"         // Google's models
	AnthropicProvider = "google_anthropic_vertex" // Anthropic's models
)

// TokenVariable is the environment variable that may hold an access token, which takes the place of the application default credentials.
// agenthost does not renew it.
const TokenVariable = "GOOGLE_OAUTH_ACCESS_TOKEN" //nolint:gosec // a name, not a token
