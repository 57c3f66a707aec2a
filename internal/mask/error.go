package mask

// Error returns the error itself if its text contains no secret, and otherwise an error with the masked text. The original error, which
// would show the secret, is then unreachable.
func (m *Mask) Error(err error) error {
	if err == nil || !m.In(err.Error()) {
		return err
	}
	return maskedError(m.Text(err.Error()))
}

// maskedError is the text of an error without its secrets.
type maskedError string

func (e maskedError) Error() string { return string(e) }
