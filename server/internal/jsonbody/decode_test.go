package jsonbody_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// create is a request as a door would declare it.
type create struct {
	ThreadID string          `json:"thread_id"`
	Metadata map[string]any  `json:"metadata"`
	Limit    *int            `json:"limit"`
	Modes    []string        `json:"modes"`
	Input    json.RawMessage `json:"input"`
	TTL      *struct {
		Minutes float64 `json:"minutes"`
	} `json:"ttl"`
	Steps []struct {
		Node string `json:"node"`
	} `json:"steps"`
	Enabled bool `json:"enabled"`
	base
}

type base struct {
	Name string `json:"name"`
}

func post(t *testing.T, body string) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/threads", strings.NewReader(body))
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want create
	}{
		"all": {
			` { "thread_id" : "t", "metadata":{"a":[1,null,{"b":true}]}, "limit":10, "modes":["a", "b"],"input": {"x" : 1} ,"enabled":true,"name":"n", "steps":[{"node":"x"},{}]}` + "\n",
			create{
				ThreadID: "t", Metadata: map[string]any{"a": []any{1.0, nil, map[string]any{"b": true}}}, Limit: new(10), Modes: []string{"a", "b"},
				Input: json.RawMessage(`{"x":1}`), Enabled: true, base: base{"n"}, Steps: []struct {
					Node string `json:"node"`
				}{{"x"}, {}},
			},
		},
		"the last of equal members counts":  {`{"thread_id":"a","thread_id":"b"}`, create{ThreadID: "b"}},
		"objects are not merged":            {`{"metadata":{"a":1,"c":{"d":1}},"metadata":{"b":2}}`, create{Metadata: map[string]any{"b": 2.0}}},
		"equal by escapes":                  {`{"thread_id":"a","thread\u005fid":"b"}`, create{ThreadID: "b"}},
		"equal deep inside":                 {`{"input":{"a":[{"x":1,"y":2,"x":3}]}}`, create{Input: json.RawMessage(`{"a":[{"x":3,"y":2}]}`)}},
		"other letters are another name":    {`{"thread_id":"a","Thread_ID":"b","THREAD_ID":"c"}`, create{ThreadID: "a"}},
		"only other letters":                {`{"Thread_ID":"b","ſteps":[]}`, create{}},
		"unknown members":                   {`{"what":{"deep":[1]},"thread_id":"a","zzz":null}`, create{ThreadID: "a"}},
		"null where there is nothing":       {`{"limit":null,"ttl":null,"input":null}`, create{Input: json.RawMessage("null")}},
		"empty":                             {`{}`, create{}},
		"a quote and a brace in a string":   {`{"thread_id":"\"}{[\\"}`, create{ThreadID: `"}{[\`}},
		"numbers as they are":               {`{"input":12345678901234567890.10}`, create{Input: json.RawMessage("12345678901234567890.10")}},
		"empty containers":                  {`{"modes":[ ],"metadata":{ }}`, create{Modes: []string{}, Metadata: map[string]any{}}},
		"as deep as is possible":            {`{"input":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`, create{Input: json.RawMessage(strings.Repeat("[", 99) + strings.Repeat("]", 99))}},
		"an unknown member counts not once": {`{"x":1,"x":{"a":1,"a":2},"thread_id":"a"}`, create{ThreadID: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got create
			require.NoError(t, jsonbody.Decode(post(t, test.body), &got))
			require.Equal(t, test.want, got)
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":                           "the request has no body",
		"  \n":                       "the request has no body",
		"{":                          "Invalid JSON: unexpected end of JSON input",
		"{} {}":                      "Invalid JSON: invalid character '{' after top-level value, at byte 4",
		"{'a':1}":                    "Invalid JSON: invalid character",
		"NaN":                        "Invalid JSON",
		"{\"a\":\"\xff\"}":           "is not UTF-8",
		"\uFEFF{}":                   "Invalid JSON",
		`{"thread_id":3}`:            "number is not of type \"string\"\n\nOn instance: thread_id",
		`{"metadata":3}`:             "number is not of type \"object\"\n\nOn instance: metadata",
		`{"ttl":{"minutes":"5"}}`:    "string is not of type \"number\"\n\nOn instance: ttl.minutes",
		`{"limit":1.5}`:              `is not of type "integer"`,
		`{"limit":1e999}`:            `is not of type "integer"`,
		`{"modes":{}}`:               `object is not of type "array"`,
		`{"enabled":"yes"}`:          `string is not of type "boolean"`,
		`{"thread_id":null}`:         "null is not a possible value\n\nOn instance: thread_id",
		`{"steps":[{"node":null}]}`:  "On instance: steps.node",
		`{"modes":null}`:             "On instance: modes",
		`[]`:                         `array is not of type "object"`,
		`null`:                       "null is not a possible value",
		strings.Repeat("[", 10_000):  "more than 100",
		strings.Repeat(`{"a":`, 101): "more than 100",
	} {
		err := jsonbody.Decode(post(t, body), new(create))
		var answer *detail.Error
		require.ErrorAs(t, err, &answer, body)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status)
		require.Contains(t, answer.Text, want)
	}
}

func TestBodiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	broken := errors.New("cut")
	for status, body := range map[int]http.Request{
		http.StatusRequestEntityTooLarge: {Body: http.MaxBytesReader(nil, post(t, strings.Repeat(" ", 20)).Body, 10)},
		http.StatusRequestTimeout:        {Body: http.NoBody},
		http.StatusBadRequest:            {Body: http.NoBody},
	} {
		switch status {
		case http.StatusRequestTimeout:
			body.Body = readCloser{iotest.ErrReader(os.ErrDeadlineExceeded)}
		case http.StatusBadRequest:
			body.Body = readCloser{iotest.ErrReader(broken)}
		}
		var answer *detail.Error
		require.ErrorAs(t, jsonbody.Decode(&body, new(create)), &answer)
		require.Equal(t, status, answer.Status)
		require.NotContains(t, answer.Text, "cut")
	}
}

type readCloser struct {
	reader interface{ Read([]byte) (int, error) }
}

func (r readCloser) Read(p []byte) (int, error) { return r.reader.Read(p) }
func (readCloser) Close() error                 { return nil }

func TestDecodeOptional(t *testing.T) {
	t.Parallel()
	var got create
	there, err := jsonbody.DecodeOptional(post(t, ""), &got)
	require.NoError(t, err)
	require.False(t, there)
	there, err = jsonbody.DecodeOptional(post(t, `{"thread_id":"a"}`), &got)
	require.NoError(t, err)
	require.True(t, there)
	require.Equal(t, "a", got.ThreadID)
	_, err = jsonbody.DecodeOptional(post(t, `{`), &got)
	require.Error(t, err)
}

// FuzzUnmarshal holds for every body: nothing panics, and a document without repeated members means the same as to encoding/json.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"a":1,"a":2}`, ` [ 1 , {"x":null} ] `, `"\ud800"`, `{"thread_id":"a","Thread_ID":1}`, `{"metadata":{"a":{"b":[]}}}`, "{\"\u2028\":0}", `-0.0e1`, "nul",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_ = jsonbody.Unmarshal(body, new(create))
		var got any
		if jsonbody.Unmarshal(body, &got) != nil {
			return
		}
		var want any
		require.NoError(t, json.Unmarshal(body, &want))
		require.Equal(t, want, got)
		again, err := json.Marshal(got)
		require.NoError(t, err)
		var twice any
		require.NoError(t, jsonbody.Unmarshal(again, &twice))
		require.Equal(t, got, twice)
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	body := []byte(`{"thread_id":"t","input":{"messages":[` + strings.Repeat(`{"role":"user","content":"hello, world"},`, 100) + `{}]}}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := jsonbody.Unmarshal(body, new(create)); err != nil {
			b.Fatal(err)
		}
	}
}
