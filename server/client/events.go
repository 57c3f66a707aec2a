package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"

	"github.com/agenthost/agenthost/abi/wire"
)

// ThreadEvents returns the events that a server keeps of all runs of a thread, as docs/events.md describes them. Only agenthost's server has them; of
// another one the error is an [*Error] with the status 404.
func (c *Client) ThreadEvents(ctx context.Context, thread string) iter.Seq2[wire.Raw, error] {
	return func(yield func(wire.Raw, error) bool) {
		for since := ""; ; {
			query := url.Values{}
			if since != "" {
				query.Set("since", since)
			}
			page, err := c.do(ctx, request{method: http.MethodGet, path: []string{"threads", thread, "events"}, query: query})
			if err != nil {
				yield(nil, err)
				return
			}
			events, _ := page.Get("events").Items()
			for _, event := range events {
				if !yield(event.Get("event"), nil) {
					return
				}
			}
			if more, _ := page.Get("more").AsBool(); !more {
				return
			}
			next, _ := page.Get("next").AsString()
			if next == "" || next == since {
				yield(nil, errors.New("the server says that there are more events, and does not say where"))
				return
			}
			since = next
		}
	}
}
