// Package provider holds what the packages of model providers share: how failed calls become a [model.Error], how large a
// response may be, and how tool calls, settings and answers are read and written.
package provider
