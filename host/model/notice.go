package model

import "context"

// Noticer is a model that may report something with [Notice] while a call is under way.
type Noticer interface {
	Model
	Notices() bool // whether it may do so
}

// noticeKey is the key of the function that [WithNotice] puts into a context.
type noticeKey struct{}

// WithNotice returns a context whose models report with say what the user should know while a call is under way, such as a long wait.
// The goroutine of the call calls say.
func WithNotice(ctx context.Context, say func(text string)) context.Context {
	return context.WithValue(ctx, noticeKey{}, say)
}

// Notice reports something about a call that is under way. It does nothing if nobody listens.
func Notice(ctx context.Context, text string) {
	if say, ok := ctx.Value(noticeKey{}).(func(string)); ok {
		say(text)
	}
}
