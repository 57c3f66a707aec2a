package fetch_test

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nameServer is a DNS server on UDP that gives the answers of the test.
type nameServer struct {
	conn net.PacketConn
	done chan struct{}
}

// newNameServer starts a server. The function answer takes a name without the final dot and returns its addresses, or
// none if there is no such name.
func newNameServer(t *testing.T, answer func(name string) []string) *net.Resolver {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &nameServer{conn, make(chan struct{})}
	go s.serve(answer)
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		<-s.done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (s *nameServer) serve(answer func(string) []string) {
	defer close(s.done)
	query := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(query)
		if err != nil {
			return
		}
		_, _ = s.conn.WriteTo(reply(query[:n], answer), from)
	}
}

// reply makes the answer to a query, which has one question, at byte 12.
func reply(query []byte, answer func(string) []string) []byte {
	const typeA, typeAAAA = 1, 28
	var labels []string
	end := 12
	for query[end] != 0 {
		length := int(query[end])
		labels = append(labels, string(query[end+1:end+1+length]))
		end += 1 + length
	}
	kind := binary.BigEndian.Uint16(query[end+1:])
	end += 5 // the zero, type and class

	out := append([]byte(nil), query[:end]...)
	out[2], out[3] = 0x85, 0x80 // an authoritative answer, recursion available
	addresses := answer(strings.Join(labels, "."))
	if len(addresses) == 0 {
		out[3] |= 3 // no such name
	}
	records := uint16(0)
	for _, text := range addresses {
		addr := netip.MustParseAddr(text)
		if (kind != typeA || !addr.Is4()) && (kind != typeAAAA || !addr.Is6()) {
			continue
		}
		records++
		out = append(out, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0) // the name of the question, type, class, time to live
		out = binary.BigEndian.AppendUint16(out, uint16(len(addr.AsSlice())))
		out = append(out, addr.AsSlice()...)
	}
	binary.BigEndian.PutUint16(out[6:], records)
	clear(out[8:12]) // authorities and additional records
	return out
}
