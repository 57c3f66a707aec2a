package langgraph

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// ownersNamespace is the namespace below which each owner has one. The owner "" is everybody, and has the store as agents see it.
const ownersNamespace = "owners"

// jsonObject is an object whose numbers stay as they were written.
type jsonObject map[string]json.RawMessage

// itemDocument is an entry of the store as clients see it.
type itemDocument struct {
	Namespace []string   `json:"namespace"`
	Key       string     `json:"key"`
	Value     objectText `json:"value"`
	Created   *timestamp `json:"created_at"`
	Updated   *timestamp `json:"updated_at"`
}

// foundItem is an entry that a search has found.
type foundItem struct {
	itemDocument

	Score *float64 `json:"score" jsonschema:"How well the item fits the query; null without one."`
}

type itemsDocument struct {
	Items []foundItem `json:"items"`
}

type namespacesDocument struct {
	Namespaces [][]string `json:"namespaces"`
}

func (o jsonObject) wire() (out wire.Map, err error) {
	text, err := json.Marshal(o)
	if err != nil || o == nil {
		return nil, err
	}
	return out, out.UnmarshalJSON(text)
}

// namespace returns where in the store a namespace of a client is.
func (c *call) namespace(labels []string) store.Namespace {
	if c.Owner == "" {
		return labels
	}
	return append(store.Namespace{ownersNamespace, c.Owner}, labels...)
}

// labels returns a namespace of the store as its client names it.
func (c *call) labels(ns store.Namespace) []string {
	if c.Owner == "" {
		return ns
	}
	return ns[min(2, len(ns)):]
}

// memory returns the store, or an error if there is none.
func (h *Handler) memory() (store.Store, error) {
	if h.Store == nil {
		return nil, detail.Errorf(http.StatusNotFound, "this server has no store; add storage to serve.yaml")
	}
	return h.Store, nil
}

func checkLabels(labels []string, empty bool) error {
	if len(labels) == 0 && !empty {
		return detail.Errorf(http.StatusBadRequest, "Namespace cannot be empty.")
	}
	for _, label := range labels {
		if label == "" || strings.Contains(label, ".") {
			return unprocessable("Namespace label '%.64s' must be a non-empty string without periods", label)
		}
	}
	return nil
}

// itemOf returns an entry as clients see it.
func (c *call) itemOf(ns store.Namespace, e *store.Entry) itemDocument {
	return itemDocument{
		Namespace: c.labels(ns), Key: e.Key, Value: objectText(wire.Raw(e.Value).JSON()), Created: timeOf(e.Created), Updated: timeOf(e.Updated),
	}
}

// storeError returns an error of a store in a form for clients.
func storeError(err error) error {
	switch {
	case errors.Is(err, store.ErrInvalid):
		return &detail.Error{Status: http.StatusUnprocessableEntity, Text: err.Error(), Cause: err}
	case errors.Is(err, store.ErrQuota):
		return &detail.Error{Status: http.StatusInsufficientStorage, Text: err.Error(), Cause: err}
	default:
		return err
	}
}

type itemPut struct {
	Namespace []string         `json:"namespace" jsonschema:"Labels without periods."`
	Key       *string          `json:"key"`
	Value     jsonObject       `json:"value"`
	Index     *json.RawMessage `json:"index" jsonschema:"false: a search does not find the item by its meaning. Other values mean nothing."`
	TTL       *float64         `json:"ttl" jsonschema:"Minutes after which the item is removed; above 0."`
}

func (h *Handler) putItem(c *call) error {
	var body itemPut
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	s, err := h.memory()
	if err != nil {
		return err
	}
	if err := checkLabels(body.Namespace, false); err != nil {
		return err
	}
	switch {
	case body.Key == nil:
		return missing("key")
	case body.Value == nil:
		return missing("value")
	}
	value, err := body.Value.wire()
	if err != nil {
		return unprocessable("the value cannot be stored: %v", err)
	}
	options := store.PutOptions{NoIndex: body.Index != nil && string(*body.Index) == "false"}
	if body.TTL != nil {
		const most = 100 * 365 * 24 * 60
		if *body.TTL <= 0 || *body.TTL > most {
			return unprocessable("ttl is %v; it must be a number of minutes above 0", *body.TTL)
		}
		options.TTL = max(time.Duration(*body.TTL*float64(time.Minute)), store.Resolution)
	}
	if _, err := s.Put(c.R.Context(), c.namespace(body.Namespace), *body.Key, value.Raw(), options); err != nil {
		return storeError(err)
	}
	return c.Done()
}

func (h *Handler) getItem(c *call) error {
	s, err := h.memory()
	if err != nil {
		return err
	}
	labels := labelsOf(c.query().Get("namespace"))
	if err := checkLabels(labels, false); err != nil {
		return err
	}
	ns := c.namespace(labels)
	entry, found, err := s.Get(c.R.Context(), ns, c.query().Get("key"))
	if err != nil {
		return storeError(err)
	}
	if !found {
		return c.Answer(nil)
	}
	item := c.itemOf(ns, &entry)
	return c.Answer(&item)
}

// labelsOf returns the labels of a namespace in an address.
func labelsOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ".")
}

type itemDelete struct {
	Namespace []string `json:"namespace"`
	Key       *string  `json:"key"`
}

// deleteItem removes the item that the body names, or the query if there is no body.
func (h *Handler) deleteItem(c *call) error {
	var body itemDelete
	there, err := jsonbody.DecodeOptional(c.R, &body)
	if err != nil {
		return err
	}
	if !there {
		key := c.query().Get("key")
		body.Namespace, body.Key = labelsOf(c.query().Get("namespace")), &key
	}
	s, err := h.memory()
	if err != nil {
		return err
	}
	if err := checkLabels(body.Namespace, false); err != nil {
		return err
	}
	if body.Key == nil {
		return missing("key")
	}
	if err := s.Delete(c.R.Context(), c.namespace(body.Namespace), *body.Key, nil); err != nil {
		return storeError(err)
	}
	return c.Done()
}

type itemSearch struct {
	Prefix []string   `json:"namespace_prefix"`
	Filter jsonObject `json:"filter"`
	Query  *string    `json:"query"`
	Limit  *int       `json:"limit" min:"1" max:"1000"`
	Offset *int       `json:"offset" min:"0"`
}

func (h *Handler) searchItems(c *call) error {
	var body itemSearch
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	s, err := h.memory()
	if err != nil {
		return err
	}
	if err := checkLabels(body.Prefix, true); err != nil {
		return err
	}
	page, err := (&paging{Limit: body.Limit, Offset: body.Offset}).page(nil)
	if err != nil {
		return err
	}
	filter, err := body.Filter.wire()
	if err != nil {
		return unprocessable("the filter cannot be used: %v", err)
	}
	search := store.Search{Filter: filter, Limit: min(page.Limit, store.MaxResults), Offset: page.Offset}
	if body.Query != nil {
		search.Query = *body.Query
	}
	found, err := store.Find(c.R.Context(), s, c.namespace(body.Prefix), search)
	if err != nil {
		return storeError(err)
	}
	items := make([]foundItem, len(found))
	for i := range found {
		items[i].itemDocument = c.itemOf(found[i].Namespace, &found[i].Entry)
		if search.Query != "" {
			items[i].Score = &found[i].Score
		}
	}
	return c.Answer(itemsDocument{items})
}

// maxNamespaces is how many namespaces are looked through for one request.
const maxNamespaces = 10_000

type namespaceSearch struct {
	Prefix   []string `json:"prefix" jsonschema:"Labels with which a namespace begins; * is any label."`
	Suffix   []string `json:"suffix" jsonschema:"Labels with which a namespace ends; * is any label."`
	MaxDepth *int     `json:"max_depth" min:"1"`
	Limit    *int     `json:"limit" min:"1" max:"1000"`
	Offset   *int     `json:"offset" min:"0"`
}

func (h *Handler) listNamespaces(c *call) error {
	var body namespaceSearch
	if _, err := jsonbody.DecodeOptional(c.R, &body); err != nil {
		return err
	}
	s, err := h.memory()
	if err != nil {
		return err
	}
	if body.Limit == nil {
		hundred := 100
		body.Limit = &hundred
	}
	page, err := (&paging{Limit: body.Limit, Offset: body.Offset}).page(nil)
	if err != nil {
		return err
	}
	if body.MaxDepth != nil && *body.MaxDepth < 1 {
		return unprocessable("max_depth is %d; it must be at least 1", *body.MaxDepth)
	}
	under := body.Prefix
	if at := slices.Index(body.Prefix, "*"); at >= 0 {
		under = body.Prefix[:at]
	}
	out := [][]string{}
	seen := map[string]bool{}
	after := store.Namespace(nil)
	for looked := 0; looked < maxNamespaces; {
		got, err := s.Namespaces(c.R.Context(), c.namespace(under), after, store.MaxPage)
		if err != nil {
			return storeError(err)
		}
		for _, ns := range got.Items {
			after = ns
			looked++
			labels := c.labels(ns)
			if !matches(labels, body.Prefix, body.Suffix) {
				continue
			}
			if body.MaxDepth != nil && len(labels) > *body.MaxDepth {
				labels = labels[:*body.MaxDepth]
			}
			if key := store.Namespace(labels).Path(); !seen[key] {
				seen[key] = true
				out = append(out, labels)
			}
		}
		if !got.More || len(out) >= page.Offset+page.Limit {
			break
		}
	}
	out = out[min(page.Offset, len(out)):]
	return c.Answer(namespacesDocument{out[:min(page.Limit, len(out))]})
}

// matches reports whether a namespace begins and ends with labels; "*" is any label.
func matches(labels, prefix, suffix []string) bool {
	fits := func(part, pattern []string) bool {
		for i := range pattern {
			if pattern[i] != "*" && part[i] != pattern[i] {
				return false
			}
		}
		return true
	}
	return len(labels) >= len(prefix) && len(labels) >= len(suffix) && fits(labels, prefix) && fits(labels[len(labels)-len(suffix):], suffix)
}
