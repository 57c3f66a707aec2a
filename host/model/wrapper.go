package model

import "iter"

// As returns a model as a T, such as a [Checker]: the model itself, or the first model inside that is one. A model that wraps another
// one has a method Unwrap() Model. As is not for the interfaces with which a model is asked, such as [Streamer], because a call of the
// inner model would bypass the wrapper. For a [Decider] or [Moderator] use [DeciderOf] or [ModeratorOf].
func As[T any](m Model) (as T, ok bool) {
	for layer := range layers(m) {
		if as, ok = layer.(T); ok {
			return as, true
		}
	}
	return as, false
}

// layers yields a model and the models inside it, the outermost first.
func layers(m Model) iter.Seq[Model] {
	return func(yield func(Model) bool) {
		for m != nil && yield(m) {
			wrapper, wraps := m.(interface{ Unwrap() Model })
			if !wraps {
				return
			}
			m = wrapper.Unwrap()
		}
	}
}
