package sdk

// Accumulator keeps in a field what a function makes of all messages of the history. A call costs as much as there are new
// messages, however long the history is. It belongs to one node hook, which declares the view "new" and reads the field:
//
//	var words = sdk.Accumulator[int]{
//		Field: sdk.Field[int]{Name: "words"},
//		Fold:  func(sum int, m *sdk.Message) int { return sum + len(strings.Fields(m.Content.Text())) },
//	}
//
//	BeforeModel: &sdk.HookSpec{Messages: sdk.ViewNew(), Reads: []string{words.Name}}
type Accumulator[T any] struct {
	Field[T]                           // of the lifetime thread, without a reducer
	Fold     func(sum T, m *Message) T // begins with the zero value
}

// Advance folds what is new, puts the sum into the update if anything changed, and returns it. Where older messages were
// changed or removed it begins anew and fetches the whole history: no function can take back what it folded.
func (a Accumulator[T]) Advance(c AnyCall, u *Update) (T, error) {
	sum, err := a.Get(c)
	view := c.call().shown()
	if err != nil || view == nil {
		return sum, err
	}
	changed := len(view.Patch)+len(view.Remove) > 0
	switch {
	case changed:
		if sum, err = a.foldAll(c.call(), view.Total); err != nil {
			return sum, err
		}
	case view.Reset:
		var zero T
		sum = a.fold(zero, view.Items)
	default:
		sum = a.fold(sum, view.Items)
	}
	if changed || view.Reset || len(view.Items) > 0 {
		a.Set(u, sum)
	}
	return sum, nil
}

func (a Accumulator[T]) fold(sum T, messages []Message) T {
	for i := range messages {
		sum = a.Fold(sum, &messages[i])
	}
	return sum
}

// pageSize is how many messages are fetched at once.
const pageSize = 256

func (a Accumulator[T]) foldAll(c *Call, total uint64) (sum T, err error) {
	for from := uint64(0); from < total; {
		page, err := c.ReadMessages(from, pageSize)
		if err != nil {
			return sum, err
		}
		if len(page) == 0 {
			break // the host knows best how many there are
		}
		sum = a.fold(sum, page)
		from += uint64(len(page))
	}
	return sum, nil
}
