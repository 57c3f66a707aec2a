package model

// As returns a model as a T, such as a [Checker]: the model itself, or the first model inside that is one. A model that wraps another
// one has a method Unwrap() Model. As is not for the interfaces with which a model is asked, such as [Streamer], because a call of the
// inner model would bypass the wrapper. For a [Decider] or [Moderator] use [DeciderOf] or [ModeratorOf].
func As[T any](m Model) (as T, ok bool) {
	for m != nil {
		if as, ok = m.(T); ok {
			return as, true
		}
		wrapper, wraps := m.(interface{ Unwrap() Model })
		if !wraps {
			break
		}
		m = wrapper.Unwrap()
	}
	return as, false
}
