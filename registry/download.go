package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry/reference"
)

// Download fetches a module by its URL, and checks its digest. If there are keys, one of them must have signed it: the signature is at
// the same URL with the suffix .minisig. No credentials are sent.
func (c *Client) Download(ctx context.Context, address, digest string, keys ...minisig.Key) (*Pulled, error) {
	u, err := reference.ParseURL(address)
	if err != nil {
		return nil, err
	}
	p := &Pulled{}
	if p.Bytes, err = c.get(ctx, u, plugin.MaxModuleSize); err != nil {
		return nil, explain(address, u.Host, err)
	}
	sum := sha256.Sum256(p.Bytes)
	if got := hex.EncodeToString(sum[:]); !strings.EqualFold(got, digest) {
		return nil, &Error{Subject: address, Kind: ErrDigest, Err: &plugin.DigestError{Want: digest, Got: got}}
	}
	if len(keys) == 0 {
		return p, nil
	}
	at := *u
	at.Path, at.RawPath = u.Path+minisig.Suffix, ""
	signature, err := c.get(ctx, &at, minisig.MaxSize)
	if err != nil {
		return nil, &Error{Subject: at.String(), Err: fmt.Errorf("%w: %w", plugin.ErrSignature, withoutURL(err))}
	}
	by, ok := minisig.Verify(p.Bytes, signature, keys...)
	if !ok {
		return nil, &Error{Subject: address, Err: fmt.Errorf("%w of the wanted keys: it is signed by someone else, or was changed", plugin.ErrSignature)}
	}
	p.Signature = &Signature{by, signature}
	return p, nil
}

// get fetches a file. A download that breaks off begins anew.
func (c *Client) get(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	client := c.http(u.Host)
	for try := 1; ; try++ {
		data, err := getOnce(ctx, client, u, limit)
		if err == nil || try == maxTries || ctx.Err() != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			return data, err
		}
	}
}

func getOnce(ctx context.Context, client *http.Client, u *url.URL, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	switch {
	case response.StatusCode == http.StatusNotFound:
		return nil, &Error{Kind: ErrNotFound}
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	case response.ContentLength > limit:
		return nil, tooLarge("the file", response.ContentLength, limit)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge("the file", int64(len(data)), limit)
	}
	return data, err
}
