package provider_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// cloud is a platform with a framing of its own: each event is a line "LENGTH TEXT". Each attempt gets another token.
type cloud struct {
	address string
	signErr error

	mu     sync.Mutex
	signed []string // the bodies
}

func (c *cloud) Name(api string) string { return "cloud_" + api }

func (c *cloud) Connect(o *provider.Options) (*provider.Connection, error) {
	base, err := url.Parse(c.address + "/base/")
	return &provider.Connection{
		Base: base, Account: model.Account{Host: base.Host, Own: true, Key: model.CredentialPlatform, Source: "the test"},
		Adapt: func(_ context.Context, call *provider.Call) error {
			delete(call.Body, "model")
			call.Path, call.RawPath = "m/"+o.Model, "m/"+strings.ReplaceAll(url.PathEscape(o.Model), ":", "%3A")
			return nil
		},
		Sign: c.sign,
		Events: func(header http.Header, body io.ReadCloser) io.ReadCloser {
			if header.Get("Content-Type") != "text/lengths" {
				return body
			}
			read, write := io.Pipe()
			go func() { _ = write.CloseWithError(convert(write, body)) }()
			return read
		},
		Explain: func(header http.Header, body []byte, failed *model.Error) {
			failed.Err = fmt.Errorf("%w; %s says %d bytes", failed.Err, header.Get("X-Who"), len(body))
		},
	}, err
}

func (c *cloud) sign(_ context.Context, req *http.Request, body []byte) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signed = append(c.signed, string(body))
	token := "session-token-" + strconv.Itoa(len(c.signed))
	req.Header.Set("Authorization", "Bearer "+token)
	return []string{token}, c.signErr
}

// convert makes events of lines "LENGTH TEXT".
func convert(to io.Writer, from io.ReadCloser) error {
	defer func() { _ = from.Close() }()
	buffered := bufio.NewReader(from)
	for {
		head, err := buffered.ReadString(' ')
		if err != nil {
			return err
		}
		length, err := strconv.Atoi(strings.TrimSpace(head))
		if err != nil {
			return err
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(buffered, text); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(to, "data: %s\n\n", text); err != nil {
			return err
		}
	}
}

func TestAPlatform(t *testing.T) {
	t.Parallel()
	var attempts int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts++
		if attempts == 1 {
			w.Header().Set("X-Should-Retry", "true")
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.RequestURI != "/base/m/us.claude%3A0" || r.Header.Get("Authorization") != "Bearer session-token-"+strconv.Itoa(attempts) {
			http.Error(w, r.RequestURI, http.StatusTeapot)
			return
		}
		text := "You sent " + r.Header.Get("Authorization")
		if attempts == 2 {
			_, _ = fmt.Fprintf(w, `{"type":"message","content":[{"type":"text","text":%q}],"stop_reason":"end_turn"}`, text)
			return
		}
		w.Header().Set("Content-Type", "text/lengths")
		for _, event := range []string{
			`{"type":"message_start","message":{"content":[]}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text),
			`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`,
		} {
			_, _ = fmt.Fprintf(w, "%d %s", len(event), event)
		}
	}))
	t.Cleanup(s.Close)
	c := &cloud{address: s.URL}
	m := &anthropic.Model{Name: "us.claude:0", Platform: c}
	account, err := m.Account()
	require.NoError(t, err)
	require.Equal(t, "the test", account.Source)
	require.Equal(t, "cloud_anthropic", m.Info().Provider)
	req := &model.Request{Messages: history.Of(abi.Human("Hi"))}
	resp, err := m.Generate(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "You sent Bearer ***", resp.AI().Content.Text(), "a token that appeared with the request is hidden")
	by, _ := resp.AI().Meta.Get("provider").AsString()
	require.Equal(t, "cloud_anthropic", by)
	require.Len(t, c.signed, 2, "each attempt is signed")
	require.NotContains(t, c.signed[0], "us.claude")
	require.Equal(t, c.signed[0], c.signed[1])

	var text string
	for chunk, err := range m.Stream(t.Context(), req) {
		require.NoError(t, err)
		text += chunk.Text
	}
	require.Equal(t, "You sent Bearer ***", text)

	c.signErr = errors.New("no session")
	_, err = m.Generate(t.Context(), req)
	require.EqualError(t, err, "cloud_anthropic: authentication: no session")
}

func TestAPlatformExplainsARefusal(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Who", "it")
		http.Error(w, "no: "+r.Header.Get("Authorization"), http.StatusForbidden)
	}))
	t.Cleanup(s.Close)
	_, err := (&anthropic.Model{Name: "m", Platform: &cloud{address: s.URL}}).Generate(t.Context(), &model.Request{Messages: history.Of(abi.Human("Hi"))})
	require.EqualError(t, err, "cloud_anthropic: permission (HTTP 403): no: Bearer ***; it says 15 bytes")
}

func TestPrivateDataStaysWithItsPlatform(t *testing.T) {
	t.Parallel()
	said := func(by string) abi.Message {
		m := abi.AI("")
		m.Content = abi.Blocks(
			provider.With(abi.TextBlock("Hello."), "citations", wire.Map(nil).Raw()),
			provider.With(abi.TextBlock(""), "type", wire.String("anthropic_result")),
		)
		m.Meta.Set("provider", wire.String(by))
		m.Meta.Set("notes", wire.String("private"))
		return m
	}
	own := history.Of(abi.Human("Hi"), said("bedrock"))
	require.Equal(t, own.Messages(), provider.Portable(own, "bedrock", "anthropic_", "citations", "notes").Messages())
	other := provider.Portable(history.Of(abi.Human("Hi"), said("anthropic")), "bedrock", "anthropic_", "citations", "notes").Messages()
	require.Len(t, other[1].Content.Blocks(), 1)
	require.Equal(t, abi.TextBlock("Hello."), other[1].Content.Blocks()[0])
	require.True(t, other[1].Meta.Get("notes").IsNil())
}
