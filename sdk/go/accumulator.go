package sdk

// Accumulator folds all messages of the history into one value and keeps it in a field. The cost of a call depends only on
// the number of new messages, however long the history is. An Accumulator belongs to one node hook, which declares the
// view "new" and reads the field:
//
//	var words = sdk.Accumulator[int]{
//		Field: sdk.Field[int]{Name: "words"},
//		Fold:  func(sum int, m *sdk.Message) int { return sum + len(strings.Fields(m.Content.Text())) },
//	}
//
//	BeforeModel: &sdk.HookSpec{Messages: sdk.ViewNew(), Reads: []string{words.Name}}
type Accumulator[T any] struct {
	Field[T]                           // a field of the lifetime thread, without a reducer
	Fold     func(sum T, m *Message) T // the first sum is the zero value
}

// Advance folds the new messages, puts the sum into the update if anything changed, and returns it. If older messages
// were changed or removed, it starts over and fetches the whole history, because Fold cannot undo an earlier message.
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

// pageSize is the number of messages to fetch at once.
const pageSize = 256

func (a Accumulator[T]) foldAll(c *Call, total uint64) (sum T, err error) {
	for from := uint64(0); from < total; {
		page, err := c.ReadMessages(from, pageSize)
		if err != nil {
			return sum, err
		}
		if len(page) == 0 {
			break // the host knows best how many messages there are
		}
		sum = a.fold(sum, page)
		from += uint64(len(page))
	}
	return sum, nil
}
