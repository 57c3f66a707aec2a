package cloudservers

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// AWS is the account of a Bedrock server.
type AWS struct {
	KeyID, Secret, Session string // Session may be ""
	Region                 string
	APIKey                 string // "": the account has none
}

// Variables returns the environment variables for the account.
func (a *AWS) Variables() map[string]string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID": a.KeyID, "AWS_SECRET_ACCESS_KEY": a.Secret, "AWS_SESSION_TOKEN": a.Session, "AWS_REGION": a.Region,
	}
}

// Bedrock starts a server of Bedrock for Anthropic's models. It checks the signature of each request with the SDK's own signer.
func Bedrock(t testing.TB, upstream string, account *AWS) *Server {
	t.Helper()
	return start(t, upstream, bedrock{account})
}

type bedrock struct{ account *AWS }

var invocation = regexp.MustCompile(`^/model/([^/]+)/(invoke|invoke-with-response-stream)$`)

func (b bedrock) admit(r *http.Request, body []byte) (string, []byte, *refusal) {
	if err := b.verify(r, body); err != nil {
		return "", nil, err
	}
	address, query, _ := strings.Cut(r.RequestURI, "?")
	match := invocation.FindStringSubmatch(address)
	if match == nil || query != "" {
		return "", nil, refuse(http.StatusNotFound, "UnknownOperationException", "there is no operation %s", r.RequestURI)
	}
	id, err := url.PathUnescape(match[1])
	if err != nil || strings.Contains(match[1], ":") {
		return "", nil, refuse(http.StatusBadRequest, "ValidationException", "The provided model identifier is invalid.")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return "", nil, refuse(http.StatusBadRequest, "ValidationException", "Malformed input request: %v", err)
	}
	if string(fields["anthropic_version"]) != `"bedrock-2023-05-31"` || fields["model"] != nil || fields["stream"] != nil {
		return "", nil, refuse(http.StatusBadRequest, "ValidationException", "Malformed input request: anthropic_version, model or stream")
	}
	id = id[strings.LastIndex(id, "/")+1:]
	_, name, _ := strings.Cut(id, "anthropic.")
	name = regexp.MustCompile(`-v[0-9]+:[0-9]+$`).ReplaceAllString(name, "")
	set := map[string]any{"model": name, "anthropic_version": nil}
	if match[2] != "invoke" {
		set["stream"] = true
	}
	out, err := edited(body, set)
	if err != nil {
		return "", nil, refuse(http.StatusBadRequest, "ValidationException", "%v", err)
	}
	return "/v1/messages", out, nil
}

// authorization is the form of the header of a signature.
var authorization = regexp.MustCompile(
	`^AWS4-HMAC-SHA256 Credential=([^/]+)/[0-9]{8}/([^/]+)/bedrock/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$`,
)

// verify signs the request again, as AWS does, and compares the signatures.
func (b bedrock) verify(r *http.Request, body []byte) *refusal {
	given := r.Header.Get("Authorization")
	if key, ok := strings.CutPrefix(given, "Bearer "); ok && b.account.APIKey != "" {
		if key != b.account.APIKey {
			return refuse(http.StatusForbidden, "AccessDeniedException", "Authentication failed: the API key is invalid")
		}
		return nil
	}
	match := authorization.FindStringSubmatch(given)
	switch {
	case match == nil:
		return refuse(http.StatusForbidden, "MissingAuthenticationTokenException", "Missing Authentication Token")
	case match[1] != b.account.KeyID, r.Header.Get("X-Amz-Security-Token") != b.account.Session:
		return refuse(http.StatusForbidden, "UnrecognizedClientException", "The security token included in the request is invalid.")
	case match[2] != b.account.Region:
		return refuse(http.StatusForbidden, "InvalidSignatureException", "Credential should be scoped to a valid region.")
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > 5*time.Minute {
		return refuse(http.StatusForbidden, "InvalidSignatureException", "Signature expired")
	}
	address := "http://" + r.Host + r.RequestURI
	again, err := http.NewRequestWithContext(r.Context(), r.Method, address, bytes.NewReader(body)) //nolint:gosec // it is only signed
	if err != nil {
		return refuse(http.StatusBadRequest, "ValidationException", "%v", err)
	}
	for name := range strings.SplitSeq(match[3], ";") {
		if values := r.Header.Values(name); len(values) > 0 {
			again.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	for _, name := range []string{"content-type", "host", "x-amz-date"} {
		if !strings.Contains(";"+match[3]+";", ";"+name+";") {
			return refuse(http.StatusForbidden, "InvalidSignatureException", "%s is not signed", name)
		}
	}
	sum := sha256.Sum256(body)
	credentials := aws.Credentials{AccessKeyID: b.account.KeyID, SecretAccessKey: b.account.Secret, SessionToken: b.account.Session}
	if err := v4.NewSigner().SignHTTP(r.Context(), credentials, again, hex.EncodeToString(sum[:]), "bedrock", b.account.Region, at); err != nil {
		return refuse(http.StatusForbidden, "InvalidSignatureException", "%v", err)
	}
	if again.Header.Get("Authorization") != given {
		return refuse(http.StatusForbidden, "InvalidSignatureException",
			"The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.")
	}
	return nil
}

func (bedrock) fail(w http.ResponseWriter, r *refusal) {
	if r.code != "" {
		w.Header().Set("X-Amzn-Errortype", r.code+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	writeJSON(w, map[string]string{"message": r.text})
}

func (bedrock) pass(w http.ResponseWriter, resp *http.Response) error {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return copied(w, resp)
	}
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data:"); ok && err == nil {
			if _, err := w.Write(Frame(strings.TrimSpace(data))); err != nil {
				return err
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// Frame returns the message of a Bedrock stream for an event of Anthropic's API.
func Frame(event string) []byte {
	payload, _ := json.Marshal(map[string]any{"bytes": []byte(event), "p": "abcdefgh"}) //nolint:errchkjson // bytes and a text
	return message(payload, map[string]string{
		eventstreamapi.MessageTypeHeader: eventstreamapi.EventMessageType, eventstreamapi.EventTypeHeader: "chunk", ":content-type": "application/json",
	})
}

// Exception returns the message of a Bedrock stream for an exception, such as "throttlingException".
func Exception(code, text string) []byte {
	payload, _ := json.Marshal(map[string]string{"message": text}) //nolint:errchkjson // a text
	return message(payload, map[string]string{
		eventstreamapi.MessageTypeHeader: eventstreamapi.ExceptionMessageType, eventstreamapi.ExceptionTypeHeader: code, ":content-type": "application/json",
	})
}

func message(payload []byte, headers map[string]string) []byte {
	m := eventstream.Message{Payload: payload}
	for name, value := range headers {
		m.Headers.Set(name, eventstream.StringValue(value))
	}
	var out bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		panic(err) // only for headers that are too long
	}
	return out.Bytes()
}
