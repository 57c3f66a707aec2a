package modeltest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// suite is one run of the tests.
type suite struct {
	target  Target
	address string
}

func (s *suite) has(f Feature) bool { return !slices.Contains(s.target.Without, f) }

func (s *suite) model(t *testing.T) model.Streamer {
	t.Helper()
	return s.target.New(t, s.address, map[string]string{"X-Test-Id": strings.ReplaceAll(t.Name(), "/", "-")})
}

// asking returns a request with these messages, and with tools.
func asking(messages ...abi.Message) *model.Request {
	schema, err := wire.Of(map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}})
	if err != nil {
		panic(err) // it is a constant
	}
	return &model.Request{
		Messages: history.Of(messages...), System: abi.Text("You know the weather."),
		Tools: []abi.ToolSpec{{Name: "weather", Description: "Tells the weather.", Parameters: schema}, {Name: "time", Description: "Tells the time."}},
	}
}

// streamResult holds the results of a stream.
type streamResult struct {
	text, reasoning string
	calls           []model.CallPiece // each call put together
	resp            *model.Response
	err             error
}

func stream(ctx context.Context, m model.Streamer, req *model.Request) (out streamResult) {
	for chunk, err := range m.Stream(ctx, req) {
		out.text += chunk.Text
		out.reasoning += chunk.Reasoning
		out.addCalls(chunk.Calls)
		if chunk.Response != nil {
			out.resp = chunk.Response
		}
		if err != nil {
			out.err = err
		}
	}
	return out
}

func (r *streamResult) addCalls(pieces []model.CallPiece) {
	for _, piece := range pieces {
		for len(r.calls) <= piece.Index {
			r.calls = append(r.calls, model.CallPiece{Index: len(r.calls)})
		}
		call := &r.calls[piece.Index]
		call.ID += piece.ID
		call.Name += piece.Name
		call.Args += piece.Args
	}
}

// both sends a request unstreamed and streamed, and requires equal answers.
func (s *suite) both(t *testing.T, req *model.Request) *model.Response {
	t.Helper()
	m := s.model(t)
	whole, err := m.Generate(t.Context(), req)
	require.NoError(t, err)
	pieces := stream(t.Context(), m, req)
	require.NoError(t, pieces.err)
	require.NotNil(t, pieces.resp, "the last chunk has the response")
	require.Equal(t, s.shown(whole), s.shown(pieces.resp))
	require.Equal(t, whole.AI().Content.Text(), pieces.text, "the pieces are the text")
	require.Equal(t, thought(whole.AI()), pieces.reasoning)
	s.sameCalls(t, pieces.resp.AI(), pieces.calls)
	return whole
}

// sameCalls requires that the pieces of calls, put together, are the calls of the answer.
func (s *suite) sameCalls(t *testing.T, m *abi.Message, pieces []model.CallPiece) {
	t.Helper()
	if !s.has(CallPieces) {
		require.Empty(t, pieces)
		return
	}
	require.Len(t, pieces, len(m.ToolCalls)+len(m.InvalidToolCalls))
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		require.True(t, slices.ContainsFunc(pieces, func(p model.CallPiece) bool {
			return p.ID == call.ID && p.Name == call.Name && sameJSON([]byte(cmp.Or(p.Args, "{}")), []byte(call.Args.JSON()))
		}), "%v are the pieces of %v", pieces, call)
	}
	for i := range m.InvalidToolCalls {
		call := &m.InvalidToolCalls[i]
		require.True(t, slices.ContainsFunc(pieces, func(p model.CallPiece) bool { return p.ID == call.ID && p.Args == call.Args }))
	}
}

// shown returns a response as text, without what differs between calls: ids made by the provider, encrypted data, and counts.
func (s *suite) shown(r *model.Response) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s structured %s\n", r.Model, r.StopReason, r.Structured.JSON())
	for i := range r.Messages {
		m := &r.Messages[i]
		meta := slices.Clone(m.Meta)
		meta.Delete("id")
		fmt.Fprintf(&out, "%s %s %s\n", m.Role, m.ID, meta.Raw().JSON())
		for _, block := range m.Content.Blocks() {
			fmt.Fprintf(&out, "%s %q\n", block.Type(), block.Text())
		}
		fmt.Fprintln(&out, s.calls(m), m.InvalidToolCalls)
	}
	return out.String()
}

func thought(m *abi.Message) string {
	var out strings.Builder
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockReasoning {
			out.WriteString(block.Text())
		}
	}
	return out.String()
}

// calls returns tool calls as text, without ids if the API has none.
func (s *suite) calls(m *abi.Message) []string {
	var out []string
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		id := c.ID
		if !s.has(CallIDs) {
			id = ""
		}
		out = append(out, strings.TrimSpace(fmt.Sprint(id, " ", c.Name, " ", c.Args.JSON())))
	}
	return out
}

func (s *suite) answers(t *testing.T) {
	weather := func(id, args string) string {
		if !s.has(CallIDs) {
			id = ""
		}
		return strings.TrimSpace(id + " weather " + args)
	}
	other := "time {}"
	if s.has(CallIDs) {
		other = "call_time_c " + other
	}
	for _, test := range []struct {
		say   string
		text  string
		calls []string
	}{
		{"[text]", "Hello, how are you? Grüße aus Zürich.", nil},
		{"[call]", "", []string{weather("call_weather_1", `{"city":"Zürich","days":3,"detail":{"of":["sea",null],"wind":true}}`)}},
		{"[calls]", "", []string{weather("call_weather_a", `{"city":"Bern"}`), weather("call_weather_b", `{"city":"Chur"}`), other}},
		{"[both]", "Let me look.", []string{weather("call_weather_1", `{"city":"Bern"}`)}},
		{"[length]", "The story begins wit", nil},
		{"[think]", "It is 42.", nil},
	} {
		t.Run(test.say, func(t *testing.T) {
			t.Parallel()
			resp := s.both(t, asking(abi.Human(test.say)))
			ai := resp.AI()
			require.NotNil(t, ai)
			require.Equal(t, test.text, ai.Content.Text())
			require.Equal(t, test.calls, s.calls(ai))
			require.Empty(t, ai.InvalidToolCalls)
			require.Empty(t, ai.ID, "the host gives ids")
			require.NotEmpty(t, resp.StopReason)
			if test.say == "[think]" && s.has(Reasoning) {
				require.Equal(t, "Six times seven is forty-two.", thought(ai))
			}
			if test.say == "[text]" && s.has(Usage) {
				require.Equal(t, &abi.Usage{InputTokens: 11, OutputTokens: 7, TotalTokens: 18}, ai.Usage)
			}
		})
	}
	t.Run("[structured]", func(t *testing.T) {
		t.Parallel()
		schema, err := wire.Of(map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}})
		require.NoError(t, err)
		resp := s.both(t, asking(abi.Human("[structured]")).WithFormat(&model.Format{Name: "place", Schema: schema}))
		require.Equal(t, `{"city":"Bern","days":[1,2.5,null]}`, resp.Structured.JSON())
	})
	t.Run("[malformed]", func(t *testing.T) {
		t.Parallel()
		if !s.has(MalformedCalls) {
			t.Skip("the API cannot say it")
		}
		ai := s.both(t, asking(abi.Human("[malformed]"))).AI()
		require.Empty(t, ai.ToolCalls)
		require.Len(t, ai.InvalidToolCalls, 1)
		require.Equal(t, `{"city": "Zü`, ai.InvalidToolCalls[0].Args)
		require.Equal(t, "weather", ai.InvalidToolCalls[0].Name)
		require.NotEmpty(t, ai.InvalidToolCalls[0].Error)
	})
}

// named returns a message with ids, as the host keeps it.
func named(m *abi.Message) abi.Message {
	out := *m
	out.ID = "msg-1"
	out.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range out.ToolCalls {
		if out.ToolCalls[i].ID == "" {
			out.ToolCalls[i].ID = fmt.Sprint("msg-1-", i)
		}
	}
	return out
}

func (s *suite) turns(t *testing.T) {
	t.Parallel()
	m := s.model(t)
	question := abi.Human("[turns]")
	first, err := m.Generate(t.Context(), asking(question))
	require.NoError(t, err)
	ai := named(first.AI())
	require.Len(t, ai.ToolCalls, 2)
	req := asking(question, ai, abi.ToolResult(ai.ToolCalls[0], "sun"), abi.ToolFailure(ai.ToolCalls[1], "rain, or sun"))
	require.Equal(t, "Sun in one, rain in the other.", s.both(t, req).AI().Content.Text())
}

// reasoning sends reasoning back in a continued turn. With Anthropic's API, aimock refuses it without its signatures.
func (s *suite) reasoning(t *testing.T) {
	t.Parallel()
	if !s.has(Reasoning) {
		t.Skip("the API does not show it")
	}
	m := s.target.New(t, s.address, map[string]string{"X-AIMock-Strict": "true"})
	question := abi.Human("[thinkcall]")
	first, err := m.Generate(t.Context(), asking(question))
	require.NoError(t, err)
	ai := named(first.AI())
	require.Equal(t, "The user wants the weather.", thought(&ai))
	if s.has(Signatures) {
		require.True(t, slices.ContainsFunc(ai.Content.Blocks(), func(b abi.Block) bool { return b.String("signature") == "c2lnbmVk" }))
	}
	req := asking(question, ai, abi.ToolResult(ai.ToolCalls[0], "rain"))
	second := stream(t.Context(), m, req)
	require.NoError(t, second.err)
	require.Equal(t, "Rain in Bern.", second.text)
}

// failure returns the error of a failed call.
func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	require.NotEmpty(t, failed.Provider)
	return failed
}

func (s *suite) refusals(t *testing.T) {
	for _, test := range []struct {
		say    string
		status int
		kind   model.ErrorKind
		again  bool
		after  time.Duration
		says   string
	}{
		{"[400]", 400, model.ErrorInvalidRequest, false, 0, "temperature must be at most 2"},
		{"[401]", 401, model.ErrorAuthentication, false, 0, "Incorrect API key provided"},
		{"[403]", 403, model.ErrorPermission, false, 0, "Your organization may not use this model"},
		{"[404]", 404, model.ErrorNotFound, false, 0, "The model does not exist"},
		{"[429]", 429, model.ErrorRateLimit, true, 7 * time.Second, "Rate limit reached"},
		{"[500]", 500, model.ErrorServer, true, 0, "Something is wrong on our side"},
		{"[503]", 503, model.ErrorOverloaded, true, 0, "The engine is overloaded"},
	} {
		t.Run(test.say, func(t *testing.T) {
			t.Parallel()
			m := s.model(t)
			_, whole := m.Generate(t.Context(), asking(abi.Human(test.say)))
			for _, err := range []error{whole, stream(t.Context(), m, asking(abi.Human(test.say))).err} {
				failed := failure(t, err)
				require.Equal(t, test.status, failed.Status)
				require.Equal(t, test.kind, failed.Kind)
				require.Equal(t, test.again, failed.Retryable)
				require.Equal(t, test.after, failed.RetryAfter)
				require.ErrorContains(t, err, test.says)
			}
		})
	}
}

func (s *suite) broken(t *testing.T) {
	for _, say := range []string{"[cut]", "[gone]", "[garbage]"} {
		t.Run(say, func(t *testing.T) {
			t.Parallel()
			m := s.model(t)
			pieces := stream(t.Context(), m, asking(abi.Human(say)))
			require.Nil(t, pieces.resp)
			require.True(t, failure(t, pieces.err).Retryable)
			if say == "[cut]" {
				require.NotEmpty(t, pieces.text, "what came before shows")
				return
			}
			_, err := m.Generate(t.Context(), asking(abi.Human(say)))
			require.True(t, failure(t, err).Retryable)
		})
	}
}

func (s *suite) cancellation(t *testing.T) {
	t.Parallel()
	m := s.model(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var err error
	pieces := 0
	for _, failed := range m.Stream(ctx, asking(abi.Human("[slow]"))) {
		if err = failed; err != nil {
			break
		}
		pieces++
		cancel()
	}
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, pieces, 10, "it ends soon")

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = m.Generate(ctx, asking(abi.Human("[text]")))
	require.ErrorIs(t, err, context.Canceled)

	short, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	late := stream(short, m, asking(abi.Human("[slow]")))
	require.ErrorIs(t, late.err, context.DeadlineExceeded)
	require.Equal(t, model.ErrorTimeout, failure(t, late.err).Kind)
}

func (s *suite) stopping(t *testing.T) {
	t.Parallel()
	for chunk, err := range s.model(t).Stream(t.Context(), asking(abi.Human("[slow]"))) {
		require.NoError(t, err)
		require.NotEmpty(t, chunk.Text)
		break
	}
}

// many sends different requests at once.
func (s *suite) many(t *testing.T) {
	t.Parallel()
	m := s.model(t)
	want := map[string]string{"[text]": "Hello, how are you? Grüße aus Zürich.", "[think]": "It is 42.", "[length]": "The story begins wit"}
	var asked sync.WaitGroup
	var mu sync.Mutex
	var got []string
	for range 5 {
		for say, text := range want {
			asked.Go(func() {
				pieces := stream(t.Context(), m, asking(abi.Human(say)))
				mu.Lock()
				defer mu.Unlock()
				if pieces.err != nil || pieces.text != text {
					got = append(got, fmt.Sprint(say, " ", pieces.text, " ", pieces.err))
				}
			})
		}
	}
	asked.Wait()
	require.Empty(t, got)
}
