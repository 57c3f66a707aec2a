package detail

import (
	"net/http"
)

// Form returns the document of an error.
type Form func(e *Error) any

// In returns a writer for whose answers [Write] uses a form, also if it is wrapped.
func In(w http.ResponseWriter, form Form) http.ResponseWriter { return &formedWriter{w, form} }

type formedWriter struct {
	http.ResponseWriter

	form Form
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *formedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// formOf returns the form of the answers that go to a writer.
func formOf(w http.ResponseWriter) Form {
	for {
		if formed, ok := w.(*formedWriter); ok {
			return formed.form
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return ownForm
		}
		w = inner.Unwrap()
	}
}

// ownForm is that of LangGraph's server.
func ownForm(e *Error) any {
	return struct {
		Detail string `json:"detail"`
	}{Text(e.Text)}
}
