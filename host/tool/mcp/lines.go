package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines is a connection whose messages are lines of JSON. Unlike the SDK's own, it limits how much it reads, tolerates lines
// that are not messages (such as a greeting), and is not blocked by a server that does not read.
type lines struct {
	out  io.Writer
	stop func() error // closes both directions and ends reading
	warn func(format string, args ...any)

	messages chan jsonrpc.Message
	over     chan struct{} // closed when reading has ended
	fault    error         // why reading ended; valid once over is closed
	closed   chan struct{}
	once     sync.Once
	closing  error

	turn    chan struct{} // held by the writer
	pending atomic.Int64  // number of writers, including waiting ones
}

// maxOdd is how many lines that are not messages a server may write.
const maxOdd = 100

func newLines(in io.Reader, out io.Writer, stop func() error, warn func(string, ...any)) *lines {
	l := &lines{
		out: out, stop: stop, warn: warn, messages: make(chan jsonrpc.Message), over: make(chan struct{}),
		closed: make(chan struct{}), turn: make(chan struct{}, 1),
	}
	go l.read(in)
	return l
}

// read reads messages until the input ends.
func (l *lines) read(in io.Reader) {
	defer close(l.over)
	buffered := bufio.NewReaderSize(in, 64<<10)
	odd := 0
	for {
		line, err := readLine(buffered)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			message, bad := jsonrpc.DecodeMessage(text)
			switch {
			case bad == nil:
				select {
				case l.messages <- message:
				case <-l.closed:
					l.fault = io.EOF
					return
				}
			case text[0] == '{' && bytes.Contains(text, []byte(`"jsonrpc"`)): // a caller may be waiting for it
				l.fault = fmt.Errorf("the server sent a message that cannot be read: %w", bad)
				return
			case odd == maxOdd:
				l.fault = fmt.Errorf("the server wrote more than %d lines that are not messages", maxOdd)
				return
			default:
				odd++
				l.warn("a line is not a message: %s", text[:min(len(text), maxOddShown)])
			}
		}
		if errors.Is(err, os.ErrClosed) { // stop closed it, perhaps before the end of the output was read
			err = io.EOF
		}
		if err != nil {
			l.fault = err
			return
		}
	}
}

// maxOddShown is how many bytes of a line that is not a message are logged.
const maxOddShown = 200

// readLine reads a line of at most maxMessage bytes.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			return nil, fmt.Errorf("the server sent a message of more than %d bytes", maxMessage)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Read returns the next message.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-l.messages:
		return message, nil
	case <-l.over:
		return nil, l.fault
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes a message. If the context ends during the write, the message may still be sent.
func (l *lines) Write(ctx context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	if l.pending.Add(1) > maxPending {
		l.pending.Add(-1)
		return errors.Join(fmt.Errorf("the server does not read the %d messages that wait for it", maxPending), l.Close())
	}
	release := func() { l.pending.Add(-1) }
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		release()
		return unsent{ctx.Err()}
	case <-l.closed:
		release()
		return unsent{io.ErrClosedPipe}
	}
	written := make(chan error, 1)
	go func() {
		defer func() { <-l.turn; release() }()
		_, err := l.out.Write(append(data, '\n'))
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closed:
		return errCutOff
	}
}

// errCutOff is the error of a message whose write was cut off by closing the connection.
var errCutOff = errors.New("the connection was closed")

// Close closes the connection.
func (l *lines) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.closing = l.stop()
	})
	return l.closing
}

// SessionID returns "", because there is only one session.
func (*lines) SessionID() string { return "" }
