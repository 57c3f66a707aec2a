package auth

import (
	"fmt"
	"net/http"
	"strings"
)

// KeyHeader is the header in which LangGraph's SDKs send a key.
const KeyHeader = "X-Api-Key"

// maxCredential is the length of the longest credential, in bytes.
const maxCredential = 16 << 10

// Credential returns the credential of a request: the token of the header Authorization if its scheme is Bearer, otherwise the header
// x-api-key. Authorization comes first, because the SDKs of LangGraph send x-api-key whenever an environment variable has a key for
// LangSmith. The error wraps [ErrNoCredential] if there is none, and [ErrBadCredential] for a header that is there twice, is empty or is
// longer than 16 KiB.
func Credential(r *http.Request) (string, error) {
	value, found, err := single(r, "Authorization")
	if err != nil {
		return "", err
	}
	if scheme, token, _ := strings.Cut(value, " "); found && strings.EqualFold(scheme, "Bearer") {
		return checked("Authorization", strings.Trim(token, " "))
	}
	if value, found, err = single(r, KeyHeader); err != nil {
		return "", err
	}
	if !found {
		return "", fmt.Errorf("auth: %w", ErrNoCredential)
	}
	return checked(KeyHeader, value)
}

// single returns the value of a header that a request may have only once.
func single(r *http.Request, name string) (value string, found bool, err error) {
	switch values := r.Header.Values(name); len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	default:
		return "", false, fmt.Errorf("auth: the request has %d headers %s: %w", len(values), name, ErrBadCredential)
	}
}

func checked(header, credential string) (string, error) {
	switch {
	case credential == "":
		return "", fmt.Errorf("auth: the header %s is empty: %w", header, ErrBadCredential)
	case len(credential) > maxCredential:
		return "", fmt.Errorf("auth: the header %s has %d bytes: %w", header, len(credential), ErrBadCredential)
	case strings.ContainsFunc(credential, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ',' }):
		return "", fmt.Errorf("auth: the header %s has characters that are in no credential: %w", header, ErrBadCredential)
	}
	return credential, nil
}

// IsToken reports whether a credential has the form of a signed token: three parts of base64url with dots between them. What has
// it is never taken for a key.
func IsToken(credential string) bool {
	parts := 0
	for part := range strings.SplitSeq(credential, ".") {
		parts++
		if part == "" && parts < 3 || strings.ContainsFunc(part, func(r rune) bool { return !isBase64URL(r) }) {
			return false
		}
	}
	return parts == 3
}

func isBase64URL(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_'
}
