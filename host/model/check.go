package model

import "fmt"

// Checker is a model that can find mistakes in its configuration without a request.
type Checker interface {
	Model
	// Check returns the error that every request would fail with because of the configuration, or nil. A missing key is no such error,
	// since it may be set later. The error is an [*Error], which wraps a [*SettingError] or a [*HeaderError] if one of them is wrong.
	Check() error
}

// SettingError means that a setting of a model, or of a request, cannot be sent.
type SettingError struct {
	Setting string // its name, as the provider calls it
	Problem string // what is wrong with it, and what to do
}

func (e *SettingError) Error() string { return fmt.Sprintf("the setting %q %s", e.Setting, e.Problem) }

// HeaderError means that a configured header cannot be sent. It does not show the value, which may be a secret.
type HeaderError struct {
	Header  string // its name
	Problem string // what is wrong with it
}

func (e *HeaderError) Error() string { return fmt.Sprintf("the header %q %s", e.Header, e.Problem) }
