package sdk

import "github.com/agenthost/agenthost/abi"

// Outcome is how one of several operations ended.
type Outcome[T any] struct {
	Value *T // nil if there is an error
	Err   error
}

// FetchAll makes HTTP requests at once, see [Call.Fetch]. The outcomes are in the order of the requests. The error says that none of
// the requests was made, or that the hook must return. It is new in version 1.1 of the ABI: with an older host, the error is [ErrNotFound].
func (c *Call) FetchAll(requests ...*FetchRequest) ([]Outcome[FetchResponse], error) {
	return askAll[FetchResponse](c, abi.OpHTTPFetch, requests)
}

// GenerateAll calls the granted model for several requests at once, see [Call.Generate] and [Call.FetchAll].
func (c *Call) GenerateAll(requests ...*GenerateRequest) ([]Outcome[ModelResponse], error) {
	return askAll[ModelResponse](c, abi.OpModelGenerate, requests)
}

// askAll performs an operation for several queries, in batches that are as large as the host takes.
func askAll[R any, P decoder[R], Q encoder](c *Call, op string, queries []Q) ([]Outcome[R], error) {
	all := make([]Outcome[R], 0, len(queries))
	for len(queries) > 0 {
		some := queries[:min(len(queries), abi.MaxBatch)]
		queries = queries[len(some):]
		var batch abi.Batch
		for _, query := range some {
			payload, err := query.MarshalMsg(nil)
			if err != nil {
				return nil, err
			}
			batch.Calls = append(batch.Calls, abi.BatchCall{Op: op, Payload: payload})
		}
		replies, err := ask[abi.BatchReplies](c, abi.OpBatch, &batch)
		if err != nil {
			return nil, err
		}
		for i := range replies.Replies {
			all = append(all, outcome[R, P](&replies.Replies[i]))
		}
	}
	return all, nil
}

func outcome[R any, P decoder[R]](reply *abi.BatchReply) (o Outcome[R]) {
	doc, err := accept(reply.Status, reply.Reply)
	if err == nil {
		value := new(R)
		if _, err = P(value).UnmarshalMsg(doc); err == nil {
			o.Value = value
		}
	}
	o.Err = err
	return o
}
