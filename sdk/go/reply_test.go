package sdk //nolint:testpackage // only the imports of a module leave a reply with the host

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
)

// keeper is a host that keeps each reply until it is read or the next call discards it, as SPEC.md says.
type keeper struct {
	Host

	replies [][]byte // of the calls of Next to come
	status  abi.Status
	kept    []byte
	reads   int
}

func (k *keeper) nextLater([]byte) (abi.Status, int) {
	k.kept, k.replies = k.replies[0], k.replies[1:]
	return k.status, len(k.kept)
}

func (k *keeper) readReply(length int) []byte {
	k.reads++
	return append([]byte(nil), k.kept[:length]...)
}

func (k *keeper) HostCall(string, []byte) (abi.Status, []byte) {
	k.kept = nil
	return abi.StatusOK, nil
}

// saying is a reply with this answer.
func saying(t *testing.T, text string) []byte {
	t.Helper()
	b, err := (&abi.ModelResponse{Messages: []abi.Message{abi.AI(text)}}).MarshalMsg(nil)
	require.NoError(t, err)
	return b
}

func TestAReplyIsReadAtTheFirstLook(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		hook  func(t *testing.T, c *ModelCall)
		reads int
	}{
		{"passed on", func(t *testing.T, c *ModelCall) {
			t.Helper()
			_, err := c.Next(nil)
			require.NoError(t, err)
		}, 0},
		{"looked at twice", func(t *testing.T, c *ModelCall) {
			t.Helper()
			reply, err := c.Next(nil)
			require.NoError(t, err)
			require.Equal(t, "first", reply.Text())
			require.Equal(t, "first", reply.Text())
		}, 1},
		{"looked at after an operation", func(t *testing.T, c *ModelCall) {
			t.Helper()
			reply, err := c.Next(nil)
			require.NoError(t, err)
			require.NoError(t, c.Emit("event", nil))
			require.Equal(t, "first", reply.Text())
		}, 1},
		{"looked at after another Next", func(t *testing.T, c *ModelCall) {
			t.Helper()
			first, err := c.Next(nil)
			require.NoError(t, err)
			second, err := c.Next(nil)
			require.NoError(t, err)
			require.Equal(t, "first", first.Text())
			require.Equal(t, "second", second.Text())
		}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			host := &keeper{replies: [][]byte{saying(t, "first"), saying(t, "second")}}
			c := &ModelCall{}
			c.begin(nil, host)
			test.hook(t, c)
			require.Equal(t, test.reads, host.reads)
		})
	}
}

func TestAFailureOfNextIsReadAtOnce(t *testing.T) {
	t.Parallel()
	failure, err := (&Error{Type: "busy", Message: "later"}).MarshalMsg(nil)
	require.NoError(t, err)
	c := &ModelCall{}
	c.begin(nil, &keeper{replies: [][]byte{failure}, status: abi.StatusFailed})
	_, err = c.Next(nil)
	require.Equal(t, &Error{Type: "busy", Message: "later"}, err)
	require.Equal(t, err, c.failure)
}

func TestAReplyIsLookedAtTooLate(t *testing.T) {
	t.Parallel()
	c := &ModelCall{}
	c.begin(nil, &keeper{replies: [][]byte{saying(t, "first")}})
	reply, err := c.Next(nil)
	require.NoError(t, err)
	c.end()
	require.PanicsWithValue(t, "sdk: a reply of Next was first looked at after its hook had returned; look at it in the hook", func() { reply.Text() })
}

// A reply that a hook has looked at may be kept, so another call gets a new one.
func TestAReplyThatNobodyLookedAtIsUsedAgain(t *testing.T) {
	t.Parallel()
	host := &keeper{}
	c := &ModelCall{}
	next := func(text string) *ModelReply {
		host.replies = [][]byte{saying(t, text)}
		reply, err := c.Next(nil)
		require.NoError(t, err)
		return reply
	}
	begin := func() {
		c.end()
		c.begin(nil, host)
	}
	begin()
	first := next("first")
	begin()
	again := next("again")
	require.Same(t, first, again)
	require.NotSame(t, again, next("in the same call"))
	require.Equal(t, "again", again.Text())
	begin()
	looked := next("looked at")
	require.Equal(t, "looked at", looked.Text())
	begin()
	other := next("other")
	require.NotSame(t, looked, other)
	require.NoError(t, c.Emit("event", nil)) // the host discards the reply, so the SDK reads it
	begin()
	require.NotSame(t, other, next("last"))
	require.Equal(t, []string{"again", "looked at", "other"}, []string{again.Text(), looked.Text(), other.Text()})
}
