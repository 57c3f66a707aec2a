package a2a_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCards(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()).as(annsKey)
	status, card := r.do("GET", "/.well-known/agent-card.json", nil)
	require.Equal(t, http.StatusOK, status)
	_, own := r.do("GET", "/a2a/agent/.well-known/agent-card.json", nil)
	require.Equal(t, own, card)
	require.Equal(t, "agent", card["name"])
	require.Equal(t, "It answers.", card["description"])
	var offered []string
	for _, one := range listIn(card["supportedInterfaces"]) {
		i := objectIn(one)
		require.Equal(t, r.url+"/a2a/agent", i["url"])
		offered = append(offered, textIn(i["protocolBinding"])+" "+textIn(i["protocolVersion"]))
	}
	require.Equal(t, []string{"JSONRPC 1.0", "HTTP+JSON 1.0", "JSONRPC 0.3"}, offered)
	require.Equal(t, doc{"streaming": true, "pushNotifications": true}, card["capabilities"])
	require.Contains(t, card["securitySchemes"], "bearer")
	require.Equal(t, r.url+"/a2a/agent", card["url"], "for clients of version 0.3")
	_, strict := r.do("GET", "/.well-known/agent-card.json", nil, "A2A-Version", "1.0")
	require.NotContains(t, strict, "url")
	require.Equal(t, card["supportedInterfaces"], strict["supportedInterfaces"])

	status, _ = r.do("GET", "/a2a/nobody/.well-known/agent-card.json", nil)
	require.Equal(t, http.StatusNotFound, status)
	response := r.send(t.Context(), "GET", "/.well-known/agent-card.json", nil, "X-Forwarded-Proto", "https")
	require.Contains(t, response.Header.Get("Cache-Control"), "private")
}

func TestSeveralAgentsHaveSeveralCards(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123", "one", "two")
	status, answer := r.do("GET", "/.well-known/agent-card.json", nil)
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, objectIn(answer["error"])["message"], r.url+"/a2a/one/.well-known/agent-card.json, "+r.url+"/a2a/two/.well-known/agent-card.json")
	status, card := r.do("GET", "/a2a/two/.well-known/agent-card.json", nil)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "two", card["name"])
	require.NotContains(t, card, "securitySchemes")
}
