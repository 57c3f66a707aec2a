package langgraph_test

import (
	"fmt"
	"regexp"
	"strings"
)

// ignored are members that only LangGraph's own machinery has.
var ignored = regexp.MustCompile(`(^|\.)(langgraph_(version|api_version|plan|host|api_url|request_id|auth_.*)|__.*_ms__|__after_seconds__|__pregel.*|ls_.*|` +
	`checkpoint_map|user_id|run_attempt|created_by|langsmith.*|x-request.*|langgraph_py_version|flags|host)(\.|$)`)

// headers are the headers that clients read.
var headers = []string{"content-type", "location", "content-location", "x-pagination-total", "x-pagination-next", "cache-control"}

// shape is what a document is made of: the kinds of values by their paths.
type shape map[string]string

var placeholder = regexp.MustCompile(`<\w+_\d+>`)

// shapeOf returns the shape of a document. A list has the shape of all its elements, which are told apart by their type.
func shapeOf(document any) shape {
	out := shape{}
	out.add("", document)
	return out
}

func (s shape) add(path string, value any) {
	if ignored.MatchString(path) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		s[path] = "object"
		for key, member := range v {
			key = uuids.ReplaceAllString(placeholder.ReplaceAllString(key, "<id>"), "<id>")
			if path != "" {
				key = path + "." + key
			}
			s.add(key, member)
		}
	case []any:
		s[path] = "list"
		for _, element := range v {
			kind := ""
			if object, ok := element.(map[string]any); ok {
				kind, _ = object["type"].(string)
			}
			s.add(path+"["+kind+"]", element)
		}
	case nil:
		s[path] = "null"
	case string:
		s[path] = "text"
	case bool:
		s[path] = "bool"
	default:
		s[path] = "number"
	}
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// differences returns what a document lacks, or has of another kind. What it has besides is not a difference.
func differences(recorded, got any) (out []string) {
	have := shapeOf(got)
	for path, kind := range shapeOf(recorded) {
		present, ok := have[path]
		switch {
		case !ok && (kind != "null" || !strings.Contains(path, ".")):
			out = append(out, fmt.Sprintf("%s (%s) is missing", path, kind))
		case ok && present != kind && present != "null" && kind != "null":
			out = append(out, fmt.Sprintf("%s is %s, not %s", path, present, kind))
		}
	}
	return out
}

var namespaced = regexp.MustCompile(`:(<\w+_\d+>|[0-9a-f-]{36})`)

// kinds returns the order of the kinds of frames, repeated ones once.
func kinds(frames []frame) (out []string) {
	for _, f := range frames {
		kind := namespaced.ReplaceAllString(f.Event, "")
		if object, ok := f.Data.(map[string]any); ok && f.Event == "updates" {
			for key := range object {
				if key != "__interrupt__" {
					key = "step"
				}
				kind += "/" + key
			}
		}
		if len(out) == 0 || out[len(out)-1] != kind {
			out = append(out, kind)
		}
	}
	return out
}

// compare returns how an answer differs from the recorded one.
func compare(recorded, got *answer) (out []string) {
	if recorded.Status != got.Status {
		return []string{fmt.Sprintf("the status is %d, not %d: %v", got.Status, recorded.Status, got.Body)}
	}
	for _, name := range headers {
		want, have := recorded.Headers[name], got.Headers[name]
		switch {
		case want != "" && have == "":
			out = append(out, fmt.Sprintf("the header %s is missing", name))
		case name == "content-type" && want != "" && mediaType(want) != mediaType(have):
			out = append(out, fmt.Sprintf("the content type is %s, not %s", have, want))
		}
	}
	if recorded.SSE == nil {
		if recorded.Status < 400 {
			out = append(out, differences(recorded.Body, got.Body)...)
		}
		return out
	}
	if want, have := kinds(recorded.SSE), kinds(got.SSE); !recorded.Left && fmt.Sprint(want) != fmt.Sprint(have) {
		out = append(out, fmt.Sprintf("the events are %v, not %v", have, want))
	}
	ids := false
	seen := map[string]bool{}
	for _, f := range recorded.SSE {
		ids = ids || f.ID != ""
		kind := namespaced.ReplaceAllString(f.Event, "")
		if seen[kind] {
			continue
		}
		seen[kind] = true
		if have := dataOf(got.SSE, kind); len(have) > 0 {
			for _, d := range differences(dataOf(recorded.SSE, kind), have) {
				out = append(out, "event "+kind+": "+d)
			}
		}
	}
	for _, f := range got.SSE {
		if ids && f.ID == "" {
			out = append(out, "event "+f.Event+" has no id")
		}
	}
	return out
}

func dataOf(frames []frame, kind string) (out []any) {
	for _, f := range frames {
		if namespaced.ReplaceAllString(f.Event, "") == kind {
			out = append(out, f.Data)
		}
	}
	return out
}

func mediaType(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	return media
}
