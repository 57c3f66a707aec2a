package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A failed request leads to advice for this failure.
func TestDoctorSaysWhatToDoAboutAFailedRequest(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.Header.Get("X-Answer"))
		if err != nil {
			status = http.StatusOK
		}
		w.WriteHeader(status)
		if status == http.StatusOK {
			_, _ = io.WriteString(w, "<html>It works!</html>")
			return
		}
		_, _ = io.WriteString(w, `{"error": {"message": "no"}}`)
	}))
	t.Cleanup(server.Close)
	b := setup(t, "apiVersion: agenthost/v1\nenv_file: keys.env\nmodel: {provider: openai, name: m-1, base_url: \""+server.URL+
		"/v1\", api_key_env: MY_KEY, max_retries: 0, headers: {X-Answer: \"200\"}}\n")
	b.write("keys.env", "MY_KEY=s3cret-key\n")
	for status, remedy := range map[int]string{
		http.StatusUnauthorized:        "correct MY_KEY, which the server does not accept",
		http.StatusForbidden:           "let MY_KEY use the model m-1 at the provider, or choose another model",
		http.StatusNotFound:            "check the name of the model, m-1, and the address " + server.URL + "/v1",
		http.StatusPaymentRequired:     "the account of MY_KEY has no credit left: add some at the provider",
		http.StatusTooManyRequests:     "nothing is wrong with the manifest: the provider takes no more requests at the moment; run doctor again later",
		http.StatusInternalServerError: "the server has a problem of its own: read its log, or run doctor again later",
		http.StatusBadRequest:          "the server refuses the request itself: check the settings of the model m-1",
		http.StatusRequestTimeout:      "doctor waits 30s: a server that loads a model first may need longer, so run doctor again",
	} {
		found := b.examined(exitUsage, "--online", "--set", `model.headers={"X-Answer": "`+strconv.Itoa(status)+`"}`)["model, asked"]
		require.Equal(t, checkFailed, found.Outcome, status)
		require.Equal(t, remedy, found.Remedy, status)
	}
	found := b.examined(exitUsage, "--online")["model, asked"]
	require.Contains(t, found.Remedy, "has the API of the model's provider", "an answer that is none: "+found.Found)
}

// The words of the network are beside the plain ones, so that an administrator can search for them.
func TestDoctorShowsTheCauseOfAConnectionError(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it fails or returns at once
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: \"http://me:s3cret-pw@"+address+"/v1\", max_retries: 0}\n")
	found := b.examined(exitUsage, "--online")["model, asked"]
	require.Contains(t, found.Found, "no server listens at "+address+" (connection refused); ")
	require.Contains(t, found.Found, " [cause: dial tcp "+address+": ")
	require.Empty(t, found.Remedy, "the error says what to do")
	require.NotContains(t, b.out.String(), "s3cret")
}
