// Package model defines what agenthost asks of a chat model: the [Model] interface, its [Request] and [Response]. A
// provider implements Model in a package of its own; package scripted holds models for tests and demos.
package model
