package sqlruns

// Statements returns the texts of the statements that a store has performed.
func Statements(s *Store) (texts []string) {
	s.texts.texts.Range(func(_, text any) bool {
		texts = append(texts, text.(string)) //nolint:forcetypeassert // it has nothing else
		return true
	})
	return texts
}
