// Package azure reaches the models of OpenAI on Azure. Its [Platform] makes an [openai.Model] send its requests to a deployment, with
// either API of OpenAI.
//
// Tokens of Microsoft Entra ID come from Azure's own package azidentity, which knows secrets, workload identities, managed identities and
// the command az.
//
// # Where to find what
//
//   - where requests go, and what authorizes them: platform.go, endpoint.go, credentials.go
//   - the request: deployment.go; what errors mean, and what the content filter found: explain.go
package azure
