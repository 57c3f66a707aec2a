package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// serveHTTP makes this program a server of HTTP.
const serveHTTP = "serve-http"

// listenHTTP serves the hook until standard input ends, and prints its address at first.
func listenHTTP() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document, err := io.ReadAll(r.Body)
		if err == nil {
			document, err = answered(document)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = w.Write(document)
	})}
	go func() { _ = server.Serve(listener) }()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// overHTTP calls the hook in another process, this program, by a connection of HTTP that stays open.
func overHTTP() (carry, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	server := exec.Command(self, serveHTTP)
	in, err := server.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() {
		_ = in.Close()
		_ = server.Wait()
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, nil, err
	}
	url := "http://" + strings.TrimSpace(address)
	return func(ctx context.Context, document []byte) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(document))
		if err != nil {
			return nil, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the server answered %s", response.Status)
		}
		return io.ReadAll(response.Body)
	}, stop, nil
}

// inShell gives the text to a command of the shell, which counts it.
func inShell() host.Middleware {
	return host.BeforeModel("shell", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		command := exec.CommandContext(ctx, "/bin/sh", "-c", "wc -c")
		command.Stdin = strings.NewReader(rt.View().Items.At(0).Content.Text())
		out, err := command.Output()
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		return &host.Update{State: wire.Map{{Key: "chars", Value: wire.Int(int64(n))}}}, err
	}, host.WithView(abi.ViewLast(1)))
}
