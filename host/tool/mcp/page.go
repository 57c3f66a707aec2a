package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// pages fetches a list of a server page by page. It bounds the number of items and pages, and the size of all items.
func pages[T any](ctx context.Context, what string, fetch func(ctx context.Context, cursor string) ([]T, string, error)) ([]T, error) {
	type page struct {
		items []T
		next  string
	}
	var all []T
	size := 0
	cursors := map[string]bool{}
	for cursor := ""; ; {
		got, err := guarded(func() (page, error) {
			items, next, err := fetch(ctx, cursor)
			return page{items, next}, err
		})
		if err != nil {
			return nil, fmt.Errorf("list the %s of the server: %w", what, err)
		}
		for i := range got.items {
			size += sizeOf(got.items[i])
		}
		all = append(all, got.items...)
		cursors[cursor] = true
		switch {
		case len(all) > maxTools:
			return nil, fmt.Errorf("the server has more than %d %s", maxTools, what)
		case size > maxSchemas:
			return nil, fmt.Errorf("the descriptions of the server's %s have more than %d bytes", what, maxSchemas)
		case got.next == "":
			return all, nil
		case cursors[got.next]:
			return nil, fmt.Errorf("the server lists its %s in pages that refer back to each other", what)
		case len(cursors) >= maxPages:
			return nil, fmt.Errorf("the server lists its %s in more than %d pages", what, maxPages)
		}
		cursor = got.next
	}
}

// sizeOf estimates the memory for the texts of an item, in bytes.
func sizeOf(item any) int {
	text, err := json.Marshal(item)
	if err != nil {
		return maxSchemas // it cannot be judged
	}
	return len(text)
}

// errNull reports an item that is null.
var errNull = errors.New("the server sent a list with an empty entry")

// noNulls refuses items that are null, which the SDK lets through.
func noNulls[T any](items []*T) ([]*T, error) {
	for _, item := range items {
		if item == nil {
			return nil, errNull
		}
	}
	return items, nil
}
