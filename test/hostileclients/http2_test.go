//go:build linux

package hostileclients_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Types and flags of frames of HTTP/2.
const (
	frameHeaders, frameReset, frameSettings, framePing, frameContinuation = 1, 3, 4, 6, 9
	endStream, endHeaders                                                 = 1, 4
)

// frame returns a frame of HTTP/2.
func frame(kind, flags byte, stream uint32, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = append(b, flags)
	return string(binary.BigEndian.AppendUint32(b, stream)) + payload
}

// field returns a header as HPACK encodes it without a table.
func field(name, value string) string {
	return "\x00" + string([]byte{byte(len(name))}) + name + string([]byte{byte(len(value))}) + value
}

// get returns the headers of a request: GET, http, a path, host and key.
func get() string {
	return "\x82\x86" + field(":path", "/threads/x") + field(":authority", "localhost") + field("x-api-key", hostileKey)
}

// prior opens a connection of HTTP/2 without TLS, as a client does that knows that the server speaks it.
func (r *rig) prior() net.Conn {
	r.t.Helper()
	c := r.dial()
	_, err := io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+frame(frameSettings, 0, 0, ""))
	require.NoError(r.t, err)
	return c
}

func TestHTTP2WithPriorKnowledge(t *testing.T) {
	t.Parallel()
	r := setup(t, "", "")
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	client := r.as(normalKey)
	client.client = &http.Client{Transport: transport}
	client.run(client.thread())
	response, err := client.send(t.Context(), http.MethodGet, "/ok", nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 2, response.ProtoMajor)
	status, _ := client.do(http.MethodPost, "/threads", letters(5<<20))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	transport.CloseIdleConnections()
	r.server.RequireCalm(r.before)
}

// Each attack is a connection of HTTP/2 that sends the same frames again and again, until the server closes it or all are sent.
func TestHTTP2Floods(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for _, test := range []struct {
		name   string
		frames func(stream uint32) string
	}{
		{"rapid reset", func(stream uint32) string {
			return frame(frameHeaders, endStream|endHeaders, stream, get()) + frame(frameReset, 0, stream, "\x00\x00\x00\x08")
		}},
		{"requests without an end", func(stream uint32) string { return frame(frameHeaders, endHeaders, stream, get()) }},
		{"pings", func(uint32) string { return frame(framePing, 0, 0, "12345678") }},
		{"settings", func(uint32) string { return frame(frameSettings, 0, 0, "") }},
		{"empty headers that go on", func(stream uint32) string {
			if stream == 1 {
				return frame(frameHeaders, endStream, stream, "")
			}
			return frame(frameContinuation, 0, 1, "")
		}},
		{"large headers that go on", func(stream uint32) string {
			if stream == 1 {
				return frame(frameHeaders, endStream, stream, get())
			}
			return frame(frameContinuation, 0, 1, strings.Repeat(field("name", "value"), 100))
		}},
		{"a bomb of HPACK", func(stream uint32) string { // one entry of the table, named thousands of times
			return frame(frameHeaders, endStream|endHeaders, stream,
				get()+"\x40\x01a\x7f\xe1\x1e"+strings.Repeat("y", 4000)+strings.Repeat("\xbe", 10_000))
		}},
	} {
		t.Run(name(test.name), func(t *testing.T) {
			t.Parallel()
			r := setup(t, "", "")
			r.beside(64<<20, func() {
				c := r.prior()
				read := make(chan struct{})
				go func() {
					defer close(read)
					_, _ = io.Copy(io.Discard, c)
				}()
				for i := range uint32(n) {
					if _, err := io.WriteString(c, test.frames(2*i+1)); err != nil {
						break // the server has enough
					}
				}
				_ = c.Close()
				<-read
			})
		})
	}
}

func name(text string) string { return strings.ReplaceAll(text, " ", "-") }

// A connection that is silent after its preface ends like an idle one.
func TestHTTP2ConnectionThatIsSilent(t *testing.T) {
	t.Parallel()
	slow(t)
	r := setup(t, "", "")
	c := r.prior()
	begun := time.Now()
	require.NoError(t, c.SetDeadline(begun.Add(5*time.Minute)))
	_, err := io.Copy(io.Discard, c)
	require.NoError(t, err, "the server closed it")
	require.Less(t, time.Since(begun), 3*time.Minute)
	r.server.RequireCalm(r.before)
}
