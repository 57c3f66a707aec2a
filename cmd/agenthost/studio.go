//go:build !no_serve

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/studio"
)

func (a *app) studioCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "studio FILE [flags]",
		Short: "Show a recording in the browser, without a server of agents",
		Long: `Show what an agent did, from a file: the output of 'agenthost run --output jsonl', an export of
'agenthost threads export' or of the studio itself, or a recording of 'agenthost run --record'.

The page is opened in your browser, and is there until Ctrl-C. With --html it is written to a file instead,
which needs nothing else and can be sent to a colleague. The file contains the whole recording.`,
		Example: `  agenthost studio run.jsonl
  agenthost studio ada.json --html ada.html`,
		Args: arguments("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			recording, err := readRecording(args[0])
			if err != nil {
				return &exitError{exitUsage, err}
			}
			var page bytes.Buffer
			if err := studio.WriteFile(&page, *recording); err != nil {
				return err
			}
			switch out {
			case "":
				return a.showPage(c.Context(), page.Bytes())
			case "-":
				_, err = a.out.Write(page.Bytes())
				return err
			default:
				if err := atomicfile.Write(out, page.Bytes(), 0o600); err != nil { // conversations are private
					return &exitError{exitFailed, fmt.Errorf("--html: %w; name another file", err)}
				}
				return nil
			}
		},
	}
	c.Flags().StringVar(&out, "html", "", "write the page to this `FILE`, which only you can read, or to - for standard output")
	return c
}

// readRecording reads a file of one of the kinds that the studio shows.
func readRecording(path string) (*studio.Recording, error) {
	content, err := regularfile.Read(path, maxRecording)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	if reader, err := cassette.NewReader(bytes.NewReader(content)); err == nil {
		text, err := pluginCalls(reader)
		return &studio.Recording{Name: name, Text: text}, err
	}
	if err := checkRecording(content); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &studio.Recording{Name: name, Text: string(content)}, nil
}

// checkRecording looks at the first document of a file.
func checkRecording(content []byte) error {
	var first struct {
		Type   string          `json:"type"`
		Event  json.RawMessage `json:"event"`
		Format string          `json:"format"`
	}
	err := json.NewDecoder(bytes.NewReader(content)).Decode(&first)
	if err != nil || first.Type == "" && len(first.Event) == 0 && first.Format == "" {
		return errors.New("it is not a recording; use a file of 'agenthost run --output jsonl', 'agenthost threads export' or 'agenthost run --record'")
	}
	return nil
}

// pluginCalls returns the calls of plugins in a cassette as events, one in each line. A cassette has no times: the calls are a millisecond apart.
func pluginCalls(reader *cassette.Reader) (string, error) {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	at, seq := time.UnixMilli(0).UTC(), uint64(0)
	put := func(e host.Event) error {
		seq++
		at = at.Add(time.Millisecond)
		e.Seq, e.Time, e.Run, e.Agent = seq, at, "cassette", "plugins"
		return lines.Encode(e)
	}
	if err := put(host.Event{Type: host.EventRun}); err != nil {
		return "", err
	}
	for frame, err := range reader.Frames() {
		if errors.Is(err, cassette.ErrTruncated) {
			break
		}
		if err != nil {
			return "", err
		}
		if err := put(pluginCall(frame)); err != nil {
			return "", err
		}
	}
	err := put(host.Event{Type: host.EventEnd, Status: host.Completed})
	return out.String(), err
}

func pluginCall(frame *cassette.Frame) host.Event {
	e := host.Event{Type: host.EventHook, Step: frame.Step, Fuel: frame.Fuel}
	if p := frame.Plugin; p != nil && len(p.SHA256) >= 12 {
		e.Digest = "sha256:" + p.SHA256[:12]
	}
	if frame.Fault != nil {
		e.Error = &host.EventError{Type: frame.Fault.Kind, Message: frame.Fault.Message}
	}
	var data wire.Map
	put := func(to *wire.Map, key string, document wire.Raw) {
		if len(document) > 0 {
			to.Set(key, document)
		}
	}
	put(&data, "input", frame.Input)
	for i := range frame.Exchanges {
		x := &frame.Exchanges[i]
		var exchange wire.Map
		put(&exchange, "asks", x.Payload)
		put(&exchange, "gets", x.Reply)
		data.Set(fmt.Sprintf("%d %s", i+1, x.Name()), exchange.Raw())
	}
	put(&data, "result", frame.Result)
	e.Data = data.Raw()
	return e
}

// showPage shows a page in the browser until the context ends. Its address has a secret, since other users of the machine reach it too.
func (a *app) showPage(ctx context.Context, page []byte) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return &exitError{exitFailed, err}
	}
	path := "/" + rand.Text()
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(page)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	address := "http://" + listener.Addr().String() + path
	fmt.Fprintln(a.err, address)
	fmt.Fprintln(a.err, "Ctrl-C ends this.")
	if err := openBrowser(address); err != nil {
		fmt.Fprintln(a.err, "no browser could be started; open the address yourself")
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return &exitError{exitFailed, err}
	}
	return nil
}
