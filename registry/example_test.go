package registry_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"strings"

	inmemory "github.com/google/go-containerregistry/pkg/registry"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/registry/reference"
)

// A plugin is pushed with a signature, and pulled by somebody who has the author's public key.
func ExampleClient() {
	server := httptest.NewServer(inmemory.New(inmemory.Logger(log.New(io.Discard, "", 0)))) // in place of a registry such as ghcr.io
	defer server.Close()
	if err := pushAndPull(context.Background(), strings.TrimPrefix(server.URL, "http://")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 8 bytes, signed for acme/redact
}

func pushAndPull(ctx context.Context, host string) error {
	module := []byte("\x00asm\x01\x00\x00\x00")
	client := registry.New(registry.Options{})
	defer client.CloseIdleConnections()

	key, err := minisig.Generate()
	if err != nil {
		return err
	}
	ref, err := reference.Parse(host + "/acme/redact:1.2")
	if err != nil {
		return err
	}
	signature, err := key.Sign(module, registry.Comment(ref, "acme/redact", "1.2.0"))
	if err != nil {
		return err
	}
	if _, err := client.PushPlugin(ctx, ref, &registry.Module{Bytes: module, Name: "acme/redact", Version: "1.2.0"}, signature); err != nil {
		return err
	}
	pulled, err := client.PullPlugin(ctx, ref, key.Public())
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes, signed for %s\n", len(pulled.Bytes), ref.Repository)
	return nil
}
