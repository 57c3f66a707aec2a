package store_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

// visit counts in an entry in which others may count at the same time.
func visit(ctx context.Context, kept store.Store, user store.Namespace) (int, error) {
	for {
		count, version, err := store.Get[int](ctx, kept, user, "visits")
		if err != nil {
			return 0, err
		}
		_, err = store.Put(ctx, kept, user, "visits", count+1, store.PutOptions{IfVersion: &version})
		if !errors.Is(err, store.ErrConflict) { // otherwise somebody was faster
			return count + 1, err
		}
	}
}

func ExamplePut() {
	ctx, kept := context.Background(), memory.New()
	for range 3 {
		fmt.Println(visit(ctx, kept, store.Namespace{"users", "ada"}))
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}
