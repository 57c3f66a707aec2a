package bedrock

// Provider is the provider name of the models on Bedrock.
const Provider = "bedrock"

// KeyVariable is the environment variable that may hold a Bedrock API key, which takes the place of a signature.
const KeyVariable = "AWS_BEARER_TOKEN_BEDROCK"
