package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	sample := func(name string) string { return testdata(t, name+".json") }
	for name, test := range map[string]struct {
		status int
		body   string
		header map[string]string
		kind   model.ErrorKind
		again  bool
		after  time.Duration
		says   string
	}{
		"too long":               {400, sample("aimock/chat.400ctx"), nil, model.ErrorContextLength, false, 0, "maximum context length is 128000 tokens"},
		"too long, Responses":    {400, sample("aimock/responses.400ctx"), nil, model.ErrorContextLength, false, 0, "maximum context length"},
		"too long, stubllm":      {400, sample("stubllm/chat.400ctx"), nil, model.ErrorContextLength, false, 0, "maximum context length"},
		"a wrong key":            {401, sample("aimock/chat.401"), nil, model.ErrorAuthentication, false, 0, "bad key"},
		"too many":               {429, sample("aimock/chat.429"), map[string]string{"Retry-After": "7"}, model.ErrorRateLimit, true, 7 * time.Second, "Slow down"},
		"too many, stubllm":      {429, sample("stubllm/chat.429"), map[string]string{"Retry-After-Ms": "250"}, model.ErrorRateLimit, true, 250 * time.Millisecond, "Slow down"},
		"no credit":              {429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, nil, model.ErrorQuota, false, 0, "exceeded"},
		"no credit, OpenRouter":  {402, `{"error":{"message":"Insufficient credits","code":402}}`, nil, model.ErrorQuota, false, 0, "credits"},
		"not allowed":            {403, `{"error":{"message":"Country not supported","code":"unsupported_country_region_territory","param":null,"type":"request_forbidden"}}`, nil, model.ErrorPermission, false, 0, "Country"},
		"no such model":          {404, `{"error":{"message":"The model does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, nil, model.ErrorNotFound, false, 0, "does not exist"},
		"no such model, Ollama":  {404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, nil, model.ErrorNotFound, false, 0, "pulling"},
		"filtered":               {400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400}}`, nil, model.ErrorContentFilter, false, 0, "filtered"},
		"a wrong parameter":      {400, `{"error":{"message":"Unsupported parameter: 'max_tokens'","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, nil, model.ErrorInvalidRequest, false, 0, "Unsupported"},
		"a wrong field, FastAPI": {422, `{"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]}`, nil, model.ErrorInvalidRequest, false, 0, "Extra inputs"},
		"an error of OpenAI":     {500, sample("aimock/chat.500"), nil, model.ErrorServer, true, 0, "Boom"},
		"too busy":               {503, sample("aimock/chat.503"), nil, model.ErrorOverloaded, true, 0, "Unavailable"},
		"too busy, 529":          {529, sample("aimock/responses.529"), nil, model.ErrorOverloaded, true, 0, "Overloaded"},
		"a page of a proxy":      {502, "<html>\r\n<h1>502 Bad Gateway</h1>", nil, model.ErrorServer, true, 0, "502 Bad Gateway"},
		"nothing":                {504, "", nil, model.ErrorTimeout, true, 0, "Gateway Timeout"},
		"it knows better":        {400, `{}`, map[string]string{"X-Should-Retry": "true"}, model.ErrorInvalidRequest, true, 0, "HTTP 400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
				t.Helper()
				s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					for key, value := range test.header {
						w.Header().Set(key, value)
					}
					w.WriteHeader(test.status)
					_, _ = io.WriteString(w, test.body)
				})
				resp, err := ask(t, modelAt(t, s, api), request(hi), streaming)
				require.Nil(t, resp)
				require.ErrorContains(t, err, test.says)
				got := failure(t, err)
				require.Equal(t, test.kind, got.Kind)
				require.Equal(t, test.status, got.Status)
				require.Equal(t, test.again, got.Retryable)
				require.Equal(t, test.after, got.RetryAfter)
			})
		})
	}
}

// A status of 200 does not say that there is an answer.
func TestResponsesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body  string
		kind  model.ErrorKind
		again bool
		says  string
	}{
		"nothing":                {"", model.ErrorResponse, true, ""},
		"spaces":                 {" \r\n\t", model.ErrorResponse, true, ""},
		"a page":                 {"\n<!DOCTYPE html><html><title>Sign in to the Wi-Fi</title>" + strings.Repeat("x", 9999), model.ErrorResponse, true, "Sign in to the Wi-Fi"},
		"a text":                 {"Not Found", model.ErrorResponse, true, "Not Found"},
		"half a document":        {`{"choices":[{"index":0,"mess`, model.ErrorResponse, true, "unexpected end of JSON"},
		"another document":       {`{"object":"list","data":[]}`, model.ErrorResponse, true, `{"object":"list","data":[]}`},
		"null":                   {`null`, model.ErrorResponse, true, "null"},
		"a list":                 {`[1]`, model.ErrorResponse, true, "[1]"},
		"a number":               {`7`, model.ErrorResponse, true, "7"},
		"an error of OpenAI":     {`{"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}`, model.ErrorServer, true, "The server had an error"},
		"an error of OpenRouter": {`{"error":{"message":"Rate limited upstream","code":429},"user_id":"u"}`, model.ErrorRateLimit, true, "Rate limited upstream"},
		"an error as a text":     {`{"error":"model requires more system memory"}`, model.ErrorInvalidRequest, false, "more system memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
				t.Helper()
				for _, kind := range []string{"", "application/json", "text/html", "text/event-stream; charset=utf-8"} {
					s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
						if kind != "" {
							w.Header().Set("Content-Type", kind)
						}
						_, _ = io.WriteString(w, test.body)
					})
					resp, err := ask(t, modelAt(t, s, api), request(hi), streaming)
					require.Nil(t, resp)
					got := failure(t, err)
					require.Equal(t, test.kind, got.Kind)
					require.Equal(t, test.again, got.Retryable)
					require.ErrorContains(t, err, test.says)
					require.Less(t, len(err.Error()), 1200)
					require.NotContains(t, err.Error(), "\n")
				}
			})
		})
	}
}

// The Content-Type does not matter, and an answer that comes at once is one where a stream was asked for too.
func TestAnswersOfAnyType(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		for _, kind := range []string{"", "application/json", "text/plain", "text/event-stream"} {
			for _, text := range []string{hello[api], "\uFEFF\r\n " + helloStream[api], helloStream[api], "\n\n: hm\n\n" + helloStream[api]} {
				s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header()["Content-Type"] = nil
					if kind != "" {
						w.Header().Set("Content-Type", kind)
					}
					_, _ = io.WriteString(w, text)
				})
				m := modelAt(t, s, api)
				out := stream(t.Context(), m, request(hi))
				require.NoError(t, out.err)
				require.Equal(t, "hello", out.text)
				require.Equal(t, "hello", out.resp.AI().Content.Text())
				if text == hello[api] {
					resp, err := m.Generate(t.Context(), request(hi))
					require.NoError(t, err)
					require.Equal(t, resp, out.resp)
				}
			}
		}
	}
}

func TestAnswersThatSayNothing(t *testing.T) {
	t.Parallel()
	chat := func(choice string) string { return `{"choices":[` + choice + `]}` }
	item := func(status, output string) string {
		return `{"status":"` + status + `","output":[` + output + `]}`
	}
	for name, test := range map[string]struct {
		api  openai.API
		body string
		kind model.ErrorKind // "": it is an answer
		stop string
	}{
		"a model may say nothing":                {openai.ChatCompletions, chat(`{"message":{"content":""},"finish_reason":"stop"}`), "", "stop"},
		"it ran out of tokens":                   {openai.ChatCompletions, chat(`{"message":{"content":null},"finish_reason":"length"}`), "", "length"},
		"it thought only":                        {openai.ChatCompletions, chat(`{"message":{"reasoning":"hm"}}`), "", ""},
		"nobody says why":                        {openai.ChatCompletions, chat(`{"message":{}}`), model.ErrorResponse, ""},
		"a choice that is none":                  {openai.ChatCompletions, chat(`{}`), model.ErrorResponse, ""},
		"null choices":                           {openai.ChatCompletions, `{"choices":null}`, model.ErrorResponse, ""},
		"only the second choice":                 {openai.ChatCompletions, chat(`{"index":1,"message":{"content":"x"},"finish_reason":"stop"}`), model.ErrorResponse, ""},
		"filtered":                               {openai.ChatCompletions, chat(`{"message":{"content":""},"finish_reason":"content_filter"}`), model.ErrorContentFilter, ""},
		"filtered after it thought":              {openai.ChatCompletions, chat(`{"message":{"reasoning":"x"},"finish_reason":"content_filter"}`), model.ErrorContentFilter, ""},
		"filtered later":                         {openai.ChatCompletions, chat(`{"message":{"content":"I"},"finish_reason":"content_filter"}`), "", "content_filter"},
		"an upstream failed":                     {openai.ChatCompletions, chat(`{"message":{"content":"I"},"finish_reason":"error","error":{"code":502,"message":"upstream"}}`), model.ErrorServer, ""},
		"vLLM's older errors":                    {openai.ChatCompletions, `{"object":"error","message":"too long: maximum context length","type":"BadRequestError","code":400}`, model.ErrorContextLength, ""},
		"Responses: a model may say nothing":     {openai.Responses, item("completed", ""), "", "completed"},
		"Responses: nobody says why":             {openai.Responses, `{"output":[]}`, model.ErrorResponse, ""},
		"Responses: it goes on in the back":      {openai.Responses, item("in_progress", ""), model.ErrorResponse, ""},
		"Responses: cancelled":                   {openai.Responses, item("cancelled", ""), model.ErrorResponse, ""},
		"Responses: failed without why":          {openai.Responses, item("failed", ""), model.ErrorResponse, ""},
		"Responses: filtered":                    {openai.Responses, `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`, model.ErrorContentFilter, ""},
		"Responses: failed":                      {openai.Responses, `{"status":"failed","error":{"code":"server_error","message":"x"}}`, model.ErrorServer, ""},
		"Responses: an error beside an answer":   {openai.Responses, `{"status":"completed","error":{"code":"x","message":"x"},"output":[]}`, "", "completed"},
		"Responses: incomplete, nobody says why": {openai.Responses, item("incomplete", ""), "", "incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, streaming := range []bool{false, true} {
				resp, err := ask(t, modelAt(t, saying(t, test.body), test.api), request(hi), streaming)
				if test.kind != "" {
					require.Equal(t, test.kind, failure(t, err).Kind)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, test.stop, resp.StopReason)
			}
		})
	}
}
