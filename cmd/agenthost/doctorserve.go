//go:build !no_serve

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/server/config"
)

// serve checks a serve.yaml and what it names.
func (d *doctor) serve(ctx context.Context) {
	if d.config == "" {
		return
	}
	c, err := config.Load(d.config, config.Options{})
	if err != nil {
		remedy := "docs/server.md describes every key; 'agenthost schema serve' prints their schema"
		if errors.Is(err, fs.ErrNotExist) {
			remedy = served.OtherConfig
		}
		d.failed("serve.yaml", err.Error(), remedy)
		return
	}
	d.okf("serve.yaml", "%s is readable", d.config)
	if !d.named {
		d.note("name", served.Nameless(d.file).Error(), "")
	}
	d.login(ctx, c)
	d.certificate(c)
	d.listen(ctx, c)
	d.storage(ctx, c)
}

// login says who may use the server.
func (d *doctor) login(ctx context.Context, c *config.Config) {
	const subject = "auth"
	if c.Auth == nil {
		d.note(subject, "everybody on this machine may use the server", "docs/server.md describes keys and other ways in")
		return
	}
	if err := checkLogin(c); err != nil {
		d.failed(subject, err.Error(), "")
		return
	}
	if c.Auth.Anonymous != nil {
		d.note(subject, "everybody who reaches the server may use it", "docs/server.md describes keys and other ways in")
		return
	}
	var ways []string
	if n := len(c.Auth.Keys); n > 0 {
		ways = append(ways, counted(n, "key"))
	}
	if c.Auth.Header != nil {
		ways = append(ways, "the header "+c.Auth.Header.Name)
	}
	if c.Auth.OIDC != nil || c.Auth.JWT != nil {
		ways = append(ways, "tokens")
	}
	d.okf(subject, "the server lets in: %s", strings.Join(ways, ", "))
	if !d.online {
		return
	}
	issuer, err := c.ReachIssuer(ctx)
	switch {
	case ctx.Err() != nil, issuer == "":
	case err != nil:
		d.failed("issuer", err.Error(), "the server needs the issuer's keys when the first token comes")
	default:
		d.okf("issuer", "%s has keys", issuer)
	}
}

// renewal is how long before its end a certificate is renewed as a rule.
const renewal = 14 * 24 * time.Hour

func (d *doctor) certificate(c *config.Config) {
	const subject = "certificate"
	certificate, err := c.Certificate()
	switch {
	case err != nil:
		d.failed(subject, err.Error(), "tls in serve.yaml names a certificate and its key, as PEM files that the server can read")
		return
	case certificate == nil:
		return
	}
	expires := certificate.Expires()
	text := expires.UTC().Format("2006-01-02 15:04Z")
	switch left := time.Until(expires); {
	case left <= 0:
		d.failed(subject, "it has ended at "+text, "renew it; the server takes a new one without a restart")
	case left < renewal:
		d.note(subject, "it ends at "+text, "renew it; the server takes a new one without a restart")
	default:
		d.okf(subject, "it is valid until %s", text)
	}
}

func (d *doctor) listen(ctx context.Context, c *config.Config) {
	const subject = "listen"
	listener, err := served.Listen(ctx, c.Listen)
	if err != nil {
		d.note(subject, err.Error(), "if that is this server, which runs already, nothing is wrong")
		return
	}
	if err := listener.Close(); err != nil {
		d.failed(subject, err.Error(), "")
		return
	}
	d.okf(subject, "%s is free", c.Listen)
}

// storage checks the database of runs and threads.
func (d *doctor) storage(ctx context.Context, c *config.Config) {
	const subject = "storage"
	address, err := (&serving{app: d.app, manifests: []string{d.file}}).address(c)
	if err != nil {
		d.failed(subject, err.Error(), "")
		return
	}
	d.fleet(c, address)
	if address.IsZero() || address.InMemory() {
		d.note(subject, described(threadstore.Address{}), "storage: {sqlite: agents.db} in serve.yaml keeps it in a file")
		return
	}
	if !d.database(ctx, subject, address) {
		return
	}
	clock, err := clockOf(ctx, address)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		d.failed(subject, err.Error(), "docs/server.md describes what the database needs")
		return
	}
	d.okf(subject, "%s has the tables of runs", address)
	if clock == nil {
		return
	}
	if found, remedy := clock.Check(c.Lease); found != "" {
		d.note("clock", found, remedy)
	} else {
		d.okf("clock", "the database agrees with this machine's clock, and is fast enough for a lease of %s", c.Lease)
	}
}

// clockOf opens the database of a server, and returns its clock; nil if that is this machine's.
func clockOf(ctx context.Context, address threadstore.Address) (clock *storage.Clock, err error) {
	opened, err := storage.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return opened.Clock(ctx)
}

// checkLogin makes what authenticates requests, and releases it.
func checkLogin(c *config.Config) error {
	_, release, err := c.Authenticator()
	if err != nil {
		return err
	}
	return release()
}

// validateServe reads a serve.yaml and what it names, except for databases.
func validateServe(path string) error {
	c, err := served.Config(path, config.Options{})
	if err != nil {
		return err
	}
	_, certificate := c.Certificate()
	if err := errors.Join(certificate, checkLogin(c)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
