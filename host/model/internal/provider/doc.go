// Package provider holds the code that the packages of model providers share. It turns failed calls into a [model.Error],
// limits the size of responses, and reads and writes tool calls, settings and answers.
package provider
