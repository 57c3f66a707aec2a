package shellsession

import "strconv"

// Result is how a command ended.
type Result struct {
	Output         string
	ExitCode       int  // 128 plus the number of the signal if a signal ended the command
	Ended          bool // the command has ended the shell; the session is over
	TruncatedLines bool // there were more lines than the limit
	TruncatedBytes bool // there were more bytes than the limit
	Lines, Bytes   int  // the size of the whole output
}

// capture is the output of one command, up to the markers. The session's lock guards it.
type capture struct {
	scanners [streams]scanner
	out      collector
	done     chan struct{} // closed when both markers have arrived
}

func newCapture(marker string, limits Limits) *capture {
	c := &capture{out: collector{Limits: limits}, done: make(chan struct{})}
	for i := range c.scanners {
		c.scanners[i].marker = []byte(marker)
	}
	return c
}

func (c *capture) complete() bool { return c.scanners[stdout].whole && c.scanners[stderr].whole }

// receive takes data from a pipe.
func (c *capture) receive(stream int, data []byte) {
	if c.complete() {
		return
	}
	c.scanners[stream].scan(data, func(data []byte) { c.out.write(stream, data) })
	if c.scanners[stream].whole {
		c.out.end(stream)
	}
	if c.complete() {
		close(c.done)
	}
}

// flush adds the text after the last line break.
func (c *capture) flush() {
	for i := range c.scanners {
		c.scanners[i].rest(func(data []byte) { c.out.write(i, data) })
		c.out.end(i)
	}
}

func (c *capture) result() *Result {
	return &Result{
		Output: c.out.output(), TruncatedLines: c.out.overLines, TruncatedBytes: c.out.overBytes, Lines: c.out.lines, Bytes: c.out.bytes,
	}
}

// exitCode returns the status after the marker. A shell that reports no number has failed.
func (c *capture) exitCode() int {
	text := c.scanners[stdout].status
	if len(text) > 0 && text[0] == ' ' {
		if n, err := strconv.Atoi(string(text[1:])); err == nil {
			return n
		}
	}
	return -1
}
