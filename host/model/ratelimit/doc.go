// Package ratelimit limits how many requests and tokens a minute go to a model of a provider. All models of a process that use the same
// account and the same model share one limit, so that agents and subagents count together. It corresponds to LangChain's
// InMemoryRateLimiter, which limits requests only: https://reference.langchain.com/python/langchain_core/rate_limiters/.
//
// # Where to find what
//
//   - what can be limited: limit.go
//   - the wait of one call, and the correction of its tokens: limiter.go; the order of calls: line.go
//   - which models share a limiter: accounts.go
//   - the model that waits: model.go
package ratelimit
