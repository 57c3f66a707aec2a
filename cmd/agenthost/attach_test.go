package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

const pngFile = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"

func TestRunWithFiles(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"a cat"},"finish_reason":"stop"}]}`+
			"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	b := setup(t, "apiVersion: agenthost/v1\ncheckpoint: sqlite:agent.db\nmodel: {provider: openai, name: gpt-5.2, api: chat_completions, base_url: \""+server.URL+"/v1\"}\n")
	b.write("photo.png", pngFile)
	b.write("notes.txt", "a line\n")
	b.write("sound.wav", "RIFF\x24\x00\x00\x00WAVEfmt ")
	b.write("odd.zip", "PK\x03\x04")
	require.Equal(t, exitOK, b.run("run", "-t", "ada", "--file", b.path("photo.png"), "--file", b.path("notes.txt"), "what is it?"), &b.err)
	require.Equal(t, "a cat\n", b.out.String())
	body := <-bodies
	require.Contains(t, body, `"image_url":{"url":"data:image/png;base64,iVBORw0KGgo`)
	require.Contains(t, body, "a line")
	require.Contains(t, body, "what is it?")
	require.Equal(t, exitOK, b.threads("show", "ada"), &b.err)
	require.Contains(t, b.out.String(), "\n  [image image/png]\n")

	require.Equal(t, exitOK, b.run("run", "--dry-run", "--file", b.path("photo.png"), "what is it?"), &b.err)
	require.Contains(t, b.out.String(), "what is it?\n  [image image/png]\n")

	for want, args := range map[string][]string{
		`file "sound.wav": the model gpt-5.2 does not take audio`: {"--file", b.path("sound.wav"), "hi"},
		"is neither an image": {"--file", b.path("odd.zip"), "hi"},
		"no such file":        {"--file", b.path("none"), "hi"},
		"takes no --file":     {"-t", "ada", "--continue", "--file", b.path("notes.txt")},
		"there is no prompt":  {"--file", b.path("notes.txt")},
	} {
		require.Equal(t, exitUsage, b.run(append([]string{"run"}, args...)...), args)
		require.Contains(t, b.err.String(), want, args)
	}
	require.Equal(t, exitUsage, b.run("run", "--dry-run", "--file", b.path("sound.wav"), "hi"))
	require.Empty(t, bodies, "nothing was sent")
	require.Equal(t, exitOK, b.run("run", "--set", "model.profile={audio: true}", "--file", b.path("sound.wav"), "hi"), &b.err)
	require.Contains(t, <-bodies, `"input_audio":{"data":"UklGRiQAAABXQVZFZm10IA==","format":"wav"}`)

	const other = `models.other={provider: openai, name: gpt-audio, profile: {audio: true}}`
	const warning = `warning: file "sound.wav": the model gpt-5.2 does not take audio; use another model, or set profile: {audio: true} if this one does; ` +
		"only a middleware such as model_router can send the file to another model of the manifest\n"
	require.Equal(t, exitOK, b.run("run", "--set", other, "--file", b.path("photo.png"), "--file", b.path("sound.wav"), "hi"), &b.err)
	require.Contains(t, b.err.String(), "· --file: "+warning)
	<-bodies
	require.Equal(t, exitOK, b.run("run", "--dry-run", "--set", other, "--file", b.path("sound.wav"), "hi"), &b.err)
	require.Contains(t, b.err.String(), "· --file: "+warning)
	require.Equal(t, exitOK, b.run("run", "-q", "--set", other, "--file", b.path("photo.png"), "hi"), &b.err)
	require.Empty(t, b.err.String())
	<-bodies
	require.Equal(t, exitOK, b.says("/file "+b.path("sound.wav")+"\n", "--set", other), &b.err)
	require.Contains(t, b.err.String(), "· "+warning+"· sound.wav (audio/wav) goes with the next message\n")

	require.Equal(t, exitOK, b.says("/file "+b.path("photo.png")+"\nwhat is it?\nand now?\n/file "+b.path("notes.txt")+"\n/file\n/file\n/retry\n"), &b.err)
	require.Contains(t, b.err.String(), "· photo.png (image/png) goes with the next message\n")
	require.Contains(t, b.err.String(), "· removed from the next message: notes.txt\n· no files were added")
	require.Contains(t, <-bodies, "data:image/png")
	<-bodies
	require.NotContains(t, <-bodies, "a line")
	require.Equal(t, exitUsage, b.says("/file "+b.path("sound.wav")+"\nhi\n"))
	require.Contains(t, b.err.String(), `chat: /file: file "sound.wav": the model gpt-5.2 does not take audio`)
}

func TestTheLongFlagOfTheManifestHasAnotherName(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "validate", "--file", b.path("agenthost.yaml")))
	require.Contains(t, b.err.String(), "there is no flag --file; did you mean --manifest, or -f?")
	require.NoError(t, os.Remove(b.path("agenthost.yaml")))
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "run", "--manifest", b.path("agenthost.yaml"), "hi"))
	require.Contains(t, b.err.String(), "there is no such file")
}
