package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// Decode reads the body of a request into the target, a pointer to a struct whose fields have json tags, or to another type. The size of
// the body must be limited: see package access.
func Decode(r *http.Request, target any) error {
	body, err := Read(r)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return detail.Errorf(http.StatusUnprocessableEntity, "the request has no body; send a JSON document")
	}
	return Unmarshal(body, target)
}

// DecodeOptional is Decode for requests whose body may be left out. It reports whether there is one.
func DecodeOptional(r *http.Request, target any) (bool, error) {
	body, err := Read(r)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return false, err
	}
	return true, Unmarshal(body, target)
}

// Unmarshal is Decode for a body that was read.
func Unmarshal(body []byte, target any) error {
	switch {
	case deeperThan(body, MaxDepth):
		return detail.Errorf(http.StatusUnprocessableEntity, "Invalid JSON: more than %d arrays and objects are within each other", MaxDepth)
	case !utf8.Valid(body):
		return detail.Errorf(http.StatusUnprocessableEntity, "Invalid JSON: the body is not UTF-8")
	case !json.Valid(body):
		return detail.Errorf(http.StatusUnprocessableEntity, "Invalid JSON: %s", syntax(body))
	}
	c := cleaner{text: body}
	c.value(reflect.TypeOf(target).Elem())
	if c.null != nil {
		return mismatch("null", *c.null, "")
	}
	if err := json.Unmarshal(c.out, target); err != nil {
		return explain(err)
	}
	return nil
}

// Read reads the body of a request, as Decode does.
func Read(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	var own *detail.Error
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &own):
		return nil, own
	case errors.As(err, &large):
		return nil, detail.Errorf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes, which is the limit of this server", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, detail.Errorf(http.StatusRequestTimeout, "the body did not arrive in time")
	default:
		return nil, &detail.Error{Status: http.StatusBadRequest, Text: "the body cannot be read", Cause: err}
	}
}

// syntax says what is wrong with a document.
func syntax(body []byte) string {
	var document json.RawMessage
	err := json.Unmarshal(body, &document)
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%s, at byte %d", at.Error(), at.Offset)
	}
	return "the document is not complete"
}

// explain turns an error of json.Unmarshal into one for the client, in the words of LangGraph's server.
func explain(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return mismatch(wrong.Value, wrong.Field, kind(wrong.Type))
	}
	if own, ok := errors.AsType[*detail.Error](err); ok {
		return own
	}
	return &detail.Error{Status: http.StatusUnprocessableEntity, Text: strings.TrimPrefix(err.Error(), "json: ")}
}

func mismatch(value, path, want string) error {
	text := value + " is not a possible value"
	if want != "" {
		text = fmt.Sprintf("%s is not of type %q", value, want)
	}
	if path != "" {
		text += "\n\nOn instance: " + path
	}
	return detail.Errorf(http.StatusUnprocessableEntity, "%s", text)
}

// kind returns the name of a type in JSON Schema.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	default:
		return t.String()
	}
}
