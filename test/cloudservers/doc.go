// Package cloudservers imitates the clouds that serve models: Amazon Bedrock, Vertex AI and Azure OpenAI. Each server checks what its cloud
// checks before a model sees a request: the signature or the token, the path and the fields of the body. It passes on a valid request to an
// upstream server that speaks the API of the model's maker, such as aimock, and answers in the cloud's own framing.
package cloudservers
