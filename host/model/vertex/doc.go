// Package vertex reaches the models of Google and Anthropic on Google Cloud's Vertex AI. Its [Platform] makes a [gemini.Model] send
// generateContent to a project, and an [anthropic.Model] rawPredict with Anthropic's own body.
//
// It takes access tokens from Google's application default credentials, through golang.org/x/oauth2/google. It does not use Google's
// SDK, for the reasons that package gemini gives.
//
// # Where to find what
//
//   - where requests go: platform.go, place.go; access tokens: credentials.go
//   - the request: predict.go; what errors mean: explain.go
package vertex
