package webhook

import (
	"errors"
	"fmt"
)

// ErrRefused means that an address may not be called. The error that wraps it says why, in words for the client.
var ErrRefused = errors.New("the webhook is refused")

// StatusError means that the server of a webhook did not accept a delivery.
type StatusError struct{ Status int }

func (e *StatusError) Error() string {
	if e.Status >= 300 && e.Status < 400 {
		return fmt.Sprintf("the server answered with the status %d; redirects are not followed, so name the address that it leads to", e.Status)
	}
	return fmt.Sprintf("the server answered with the status %d", e.Status)
}
