// Package model defines the interface between agenthost and chat models: [Model], [Request] and [Response]. Each provider
// implements Model in its own package; package scripted has models for tests and demos.
package model
