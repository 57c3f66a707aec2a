package azure

// Provider is the provider name of the models on Azure.
const Provider = "azure_openai"

// These are the environment variables of Azure OpenAI.
const (
	EndpointVariable = "AZURE_OPENAI_ENDPOINT" // the address of the resource
	KeyVariable      = "AZURE_OPENAI_API_KEY"
	TokenVariable    = "AZURE_OPENAI_AD_TOKEN" //nolint:gosec // a name, not a token
	VersionVariable  = "OPENAI_API_VERSION"
)
