package httptool

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/agenthost/agenthost/internal/terminal"
)

// decompressed returns the body of a response without its compression, which was not requested. A body may grow a
// thousandfold: a result above the limit is an error. The error is written for the model.
func decompressed(body []byte, encoding string, most int) ([]byte, error) {
	var from io.Reader
	var err error
	if len(body) == 0 { // of a HEAD request, for example
		return body, nil
	}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		from, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		from, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return nil, fmt.Errorf("the response has the encoding %q, which is not supported", terminal.Line(encoding))
	}
	if err != nil {
		return nil, fmt.Errorf("the response is not valid %s, although it claims to be", terminal.Line(encoding))
	}
	out, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	switch {
	case len(out) > most:
		return nil, fmt.Errorf("the body of the response is larger than %d bytes", most)
	case err != nil:
		return nil, fmt.Errorf("the response is not valid %s, although it claims to be", terminal.Line(encoding))
	}
	return out, nil
}
