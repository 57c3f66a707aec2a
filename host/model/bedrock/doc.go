// Package bedrock reaches Anthropic's models on Amazon Bedrock. Its [Platform] makes an [anthropic.Model] send InvokeModel and
// InvokeModelWithResponseStream with Anthropic's own body, so that answers have everything that Anthropic's API gives: thinking,
// signatures, cache marks and token counts.
//
// It uses the parts of the AWS SDK that are hard to get right: the credentials, the signature (SigV4) and the framing of streams. It
// does not use the SDK's client of Bedrock, which would add a second way to retry, to log and to time out.
//
// # Where to find what
//
//   - where requests go, and what authorizes them: platform.go, region.go, credentials.go
//   - the request: invoke.go; the framing of a stream: events.go; what AWS's errors mean: explain.go
package bedrock
