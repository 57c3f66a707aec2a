package modeltest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// valid returns what an API would refuse in a request, by its documentation and its error messages; "" if it would take it.
func valid(api string, body map[string]any) string {
	switch api {
	case chat:
		return validChat(listOf(body, "messages"))
	case responses:
		return validResponses(listOf(body, "input"))
	case messages:
		return first(validMessages(listOf(body, "messages")), validThinking(body))
	default:
		return validContents(listOf(body, "contents"))
	}
}

// listOf returns the objects of a list; text becomes an object with a text.
func listOf(of map[string]any, key string) (out []map[string]any) {
	switch value := of[key].(type) {
	case string:
		return []map[string]any{{"type": "text", "text": value}}
	case []any:
		for _, entry := range value {
			entry, _ := entry.(map[string]any)
			out = append(out, entry)
		}
	}
	return out
}

func textOf(of map[string]any, key string) string {
	text, _ := of[key].(string)
	return text
}

// openCalls are the calls that wait for an answer.
type openCalls struct {
	waiting []string
	unique  map[string]bool // the ids so far, of an API that wants each only once; nil: each only once among those that wait
}

func (o *openCalls) call(id string) string {
	if o.unique[id] || slices.Contains(o.waiting, id) || id == "" {
		return fmt.Sprintf("the call %q is there twice, or has no id", id)
	}
	if o.unique != nil {
		o.unique[id] = true
	}
	o.waiting = append(o.waiting, id)
	return ""
}

func (o *openCalls) answer(id string) string {
	at := slices.Index(o.waiting, id)
	if at < 0 {
		return fmt.Sprintf("the answer to %q has no call", id)
	}
	o.waiting = slices.Delete(o.waiting, at, at+1)
	return ""
}

func (o *openCalls) rest() string {
	if len(o.waiting) > 0 {
		return fmt.Sprintf("the calls %q have no answer", o.waiting)
	}
	return ""
}

// first returns the first problem.
func first(problems ...string) string {
	for _, problem := range problems {
		if problem != "" {
			return problem
		}
	}
	return ""
}

func validChat(all []map[string]any) string {
	var calls openCalls
	var problems []string
	for i, m := range all {
		role := textOf(m, "role")
		if role != "tool" {
			problems = append(problems, calls.rest())
		}
		kinds := []string{"text"}
		switch role {
		case "system":
		case "user":
			kinds = append(kinds, "image_url")
		case "assistant":
			kinds = append(kinds, "reference") // of the server itself
			for _, call := range listOf(m, "tool_calls") {
				problems = append(problems, calls.call(textOf(call, "id")))
			}
			if m["tool_calls"] == nil && (m["content"] == nil || m["content"] == "") {
				problems = append(problems, fmt.Sprintf("the message %d is empty", i))
			}
		case "tool":
			problems = append(problems, calls.answer(textOf(m, "tool_call_id")))
		default:
			problems = append(problems, fmt.Sprintf("the role %q", role))
		}
		for _, part := range listOf(m, "content") {
			if !slices.Contains(kinds, textOf(part, "type")) {
				problems = append(problems, fmt.Sprintf("a part %q in a message of %s", part["type"], role))
			}
		}
	}
	return first(append(problems, calls.rest())...)
}

func validResponses(all []map[string]any) string {
	var calls openCalls
	var problems []string
	thinks := false // the last item is reasoning, which needs an item after it
	for _, item := range all {
		kind := textOf(item, "type")
		kinds := []string{"text", "input_text", "input_image"}
		if item["role"] == "assistant" {
			kinds = []string{"output_text", "output_sound"}
		}
		switch kind {
		case "function_call":
			problems = append(problems, calls.call(textOf(item, "call_id")))
		case "function_call_output":
			problems = append(problems, calls.answer(textOf(item, "call_id")))
		case "", "message":
			problems = append(problems, calls.rest())
			for _, part := range listOf(item, "content") {
				if !slices.Contains(kinds, textOf(part, "type")) {
					problems = append(problems, fmt.Sprintf("a part %q in a message of %s", part["type"], item["role"]))
				}
			}
		case "reasoning", "web_search_call", "image_generation_call":
		default:
			problems = append(problems, fmt.Sprintf("an item %q", kind))
		}
		if thinks && item["role"] == "user" {
			problems = append(problems, "reasoning without the item that it led to")
		}
		thinks = kind == "reasoning"
	}
	return first(append(problems, calls.rest())...)
}

var properID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func validMessages(all []map[string]any) string {
	calls := openCalls{unique: map[string]bool{}}
	var own openCalls // of the provider's servers
	var problems []string
	for i, m := range all {
		if role := []string{"user", "assistant"}[i%2]; m["role"] != role {
			problems = append(problems, fmt.Sprintf("the message %d is not by %s", i, role))
		}
		blocks := listOf(m, "content")
		if len(blocks) == 0 {
			problems = append(problems, fmt.Sprintf("the message %d is empty", i))
		}
		others := false // a block that is not an answer to a call
		for _, b := range blocks {
			kind := textOf(b, "type")
			switch {
			case kind == "text":
				if strings.TrimSpace(textOf(b, "text")) == "" {
					problems = append(problems, "a blank text")
				}
			case kind == "image" && m["role"] == "user":
			case kind == "tool_result" && m["role"] == "user":
				problems = append(problems, calls.answer(textOf(b, "tool_use_id")))
				if others {
					problems = append(problems, "an answer to a call after something else")
				}
				for _, inner := range listOf(b, "content") {
					if kind := textOf(inner, "type"); kind != "text" && kind != "image" {
						problems = append(problems, fmt.Sprintf("a block %q in an answer", kind))
					}
				}
				continue
			case kind == "tool_use" && m["role"] == "assistant":
				problems = append(problems, calls.call(textOf(b, "id")))
				if !properID.MatchString(textOf(b, "id")) {
					problems = append(problems, fmt.Sprintf("the id %q", b["id"]))
				}
			case kind == "server_tool_use" && m["role"] == "assistant":
				problems = append(problems, own.call(textOf(b, "id")))
			case strings.HasSuffix(kind, "_tool_result") && m["role"] == "assistant":
				problems = append(problems, own.answer(textOf(b, "tool_use_id")))
			case (kind == "thinking" && b["signature"] != nil || kind == "redacted_thinking") && m["role"] == "assistant":
			default:
				problems = append(problems, fmt.Sprintf("a block %q of %s", kind, m["role"]))
			}
			others = true
		}
		if m["role"] == "user" {
			problems = append(problems, calls.rest())
		}
	}
	return first(append(problems, calls.rest(), own.rest())...)
}

// validThinking checks that a turn with calls begins with a thought if and only if the model thinks.
func validThinking(body map[string]any) string {
	setting, _ := body["thinking"].(map[string]any)
	all := listOf(body, "messages")
	if len(all) < 2 {
		return ""
	}
	begin := textOf(listOf(all[len(all)-2], "content")[0], "type")
	thinks := begin == "thinking" || begin == "redacted_thinking"
	calls := listOf(all[len(all)-1], "content")[0]["type"] == "tool_result"
	switch on := setting["type"] == "enabled"; {
	case on && calls && !thinks:
		return "the final message of the assistant must start with a thinking block"
	case !on && calls && thinks:
		return "thinking is disabled, and the final message of the assistant contains it"
	default:
		return ""
	}
}

func validContents(all []map[string]any) string {
	var problems []string
	var calls []string // of the turn before
	person := -1       // the last turn with anything but answers
	for i, turn := range all {
		if turn["role"] == "user" && !slices.ContainsFunc(listOf(turn, "parts"), func(p map[string]any) bool { return p["functionResponse"] != nil }) {
			person = i
		}
	}
	for i, turn := range all {
		parts := listOf(turn, "parts")
		if len(parts) == 0 {
			problems = append(problems, fmt.Sprintf("the turn %d is empty", i))
		}
		var called, answered []string
		for _, part := range parts {
			call, isCall := part["functionCall"].(map[string]any)
			response, isResponse := part["functionResponse"].(map[string]any)
			switch {
			case isCall:
				if len(called) == 0 && i > person && textOf(part, "thoughtSignature") == "" {
					problems = append(problems, "a call of this turn without a signature")
				}
				called = append(called, textOf(call, "name"))
			case isResponse:
				answered = append(answered, textOf(response, "name"))
			case len(answered) > 0:
				problems = append(problems, "something beside answers to calls")
			case part["text"] == nil && part["inlineData"] == nil && part["executableCode"] == nil && part["codeExecutionResult"] == nil:
				problems = append(problems, fmt.Sprintf("a part of an unknown kind: %v", part))
			}
		}
		if !slices.Equal(calls, answered) {
			problems = append(problems, fmt.Sprintf("the calls %q have the answers %q", calls, answered))
		}
		if calls = called; len(called) > 0 && (i == 0 || all[i-1]["role"] != "user") {
			problems = append(problems, "a call that does not follow a turn of the user")
		}
	}
	if len(all) == 0 || all[0]["role"] != "user" || all[len(all)-1]["role"] != "user" {
		problems = append(problems, "the user does not begin or end the conversation")
	}
	return first(problems...)
}
