package host_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// speaker is a model that says pieces, and fails behind them as often as it is told.
type speaker struct {
	pieces []model.Chunk
	fails  int
	calls  int
}

func (*speaker) Info() model.Info { return model.Info{Name: "speaker"} }

func (s *speaker) Generate(context.Context, *model.Request) (*model.Response, error) {
	return nil, errors.New("somebody listens: it is to stream")
}

func (s *speaker) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		s.calls++
		text := ""
		for _, piece := range s.pieces {
			text += piece.Text
			if !yield(piece, nil) {
				return
			}
		}
		if s.calls <= s.fails {
			yield(model.Chunk{}, errors.New("cut"))
			return
		}
		yield(model.Chunk{Response: model.Reply(abi.AI(text))}, nil)
	}
}

// words replaces a word, and holds back what may become one.
type words struct{ from, to, held string }

func (w *words) Pass(piece string) string {
	text := strings.ReplaceAll(w.held+piece, w.from, w.to)
	keep := 0
	for n := 1; n < len(w.from) && n <= len(text); n++ {
		if strings.HasSuffix(text, w.from[:n]) {
			keep = n
		}
	}
	w.held = text[len(text)-keep:]
	return text[:len(text)-keep]
}

func (w *words) End() string { return w.held }

func replacing(name, from, to string) host.Middleware {
	return host.WrapModelCall(name, func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		return model.Reply(abi.AI(strings.ReplaceAll(resp.AI().Content.Text(), from, to))), nil, nil
	}, host.FilterTokens(func() host.StreamFilter { return &words{from: from, to: to} }))
}

// said are the tokens of a run, as call:text or call~reasoning.
func said(t *testing.T, b *bundle) (out []string, result string) {
	t.Helper()
	events, err := b.stream()
	require.NoError(t, err)
	for i := range events {
		switch e := &events[i]; {
		case e.Type == host.EventToken && e.Reasoning != "":
			out = append(out, fmt.Sprintf("%d~%s", e.Index, e.Reasoning))
		case e.Type == host.EventToken:
			out = append(out, fmt.Sprintf("%d:%s", e.Index, e.Text))
		case e.Type == host.EventState && len(e.Messages) > 0:
			result = e.Messages[len(e.Messages)-1].Content.Text()
		}
	}
	return out, result
}

func TestFiltersEditTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Model = &speaker{pieces: []model.Chunk{
		{Reasoning: "Anna is "}, {Reasoning: "An"}, {Reasoning: "na."}, {Text: "I am An"}, {Text: "na, not Annegret. An"},
	}}
	b.use(replacing("outer", "Bob", "Carol"), replacing("inner", "Anna", "Bob"))
	tokens, result := said(t, b)
	require.Equal(t, []string{"1~Carol is ", "1~Carol.", "1:I am ", "1:Carol, not Annegret. ", "1:An"}, tokens)
	require.Equal(t, "I am Carol, not Annegret. An", result)
}

// What a call that failed has held back is not shown, and the next call begins anew.
func TestTokensOfACallThatIsMadeAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Model = &speaker{pieces: []model.Chunk{{Text: "Hello, An"}}, fails: 1}
	b.use(host.WrapModelCall("retry", retry(2), host.PassesTokens()), replacing("r", "Anna", "Bob"))
	tokens, _ := said(t, b)
	require.Equal(t, []string{"1:Hello, ", "2:Hello, ", "2:An"}, tokens)
}

func TestAFilterDoesNotLetTokensPastOthers(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("Anna")).use(replacing("r", "Anna", "Bob"), host.WrapModelCall("holds", passing(nothing)))
	tokens, result := said(t, b)
	require.Empty(t, tokens)
	require.Equal(t, "Bob", result)
}
