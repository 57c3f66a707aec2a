package plaintemplate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	texttemplate "text/template"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/plaintemplate"
)

// functions are the same for both packages.
var (
	functions = map[string]plaintemplate.Function{
		"upper": {Params: []plaintemplate.Param{plaintemplate.Text}, Call: func(args []any) (any, error) {
			text, _ := args[0].(string)
			return strings.ToUpper(text), nil
		}},
		"default": {Params: []plaintemplate.Param{plaintemplate.Any, plaintemplate.Any}, Call: func(args []any) (any, error) { return orDefault(args[0], args[1]), nil }},
		"fail":    {Params: []plaintemplate.Param{plaintemplate.Any}, Call: func([]any) (any, error) { return nil, errRefused }},
	}
	realFunctions = texttemplate.FuncMap{"upper": strings.ToUpper, "default": orDefault, "fail": func(any) (any, error) { return nil, errRefused }}
	errRefused    = errors.New("refused")
)

func orDefault(otherwise, v any) any {
	if v == nil || v == "" {
		return otherwise
	}
	return v
}

// data has values of all kinds.
func data() map[string]any {
	return map[string]any{
		"text": "Ann {{.n}} <b>", "empty": "", "yes": true, "no": false, "n": int64(3), "zero": 0, "minus": int64(-2), "big": uint64(1) << 63,
		"f": 1.5, "nan": nan, "nothing": nil, "bytes": []byte{1, 0}, "list": []any{"a", nil, 2, []any{true}, map[string]any{"k": "v"}},
		"none": []any{}, "map": map[string]any{"b": 1, "a": map[string]any{"c": "deep"}, "nil": nil, "list": []any{}}, "nilmap": map[string]any(nil),
	}
}

var nan = func() float64 { zero := 0.0; return zero / zero }()

// execute returns the output of a template, or its error.
func execute(t testing.TB, text string) (string, error) {
	t.Helper()
	tmpl, err := plaintemplate.Parse("t", text, plaintemplate.Options{Functions: functions, Show: show, MaxTurns: 1000})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = tmpl.Execute(t.Context(), &b, data())
	return b.String(), err
}

func really(text string) (string, error) {
	tmpl, err := texttemplate.New("t").Funcs(realFunctions).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = tmpl.Execute(&b, data())
	return b.String(), err
}

// samples are templates with all that the package supports.
var samples = []string{
	"", "plain { text }", "a {{- /* b */ -}} c", "{{.text}} {{.yes}} {{.n}} {{.big}} {{.f}} {{.nan}} {{.nothing}} {{.bytes}} {{.list}} {{.map}}",
	"{{1}}{{1.0}}{{1e3}}{{0xe}}{{'e'}}{{0x1p2}}{{1_000}}{{-3}}{{true}}{{\"a\"}}{{`b`}}", "{{9223372036854775808}}", "{{0777}}{{0b11}}{{1e400}}", "{{nil}}", "{{nil | upper}}",
	"{{.absent}}", "{{.map.absent}}", "{{.map.a.c}}", "{{.nothing.x}}", "{{.map.nil.x}}", "{{.text.x}}", "{{.n.x.y}}", "{{.map.a 1}}", "{{.text 1}}", "{{1 | .map.a}}",
	"{{(.map).a.c}}", "{{(index .list 4).k}}", "{{(.nothing).x}}", "{{(.list).x}}", "{{(nil).x}}", "{{(.map) 1}}", "{{(.map).a 1}}", "{{1 2}}", "{{. 1}}",
	"{{if .yes}}a{{end}}{{if .no}}b{{else}}c{{end}}{{if .zero}}d{{else if .n}}e{{else}}f{{end}}", "{{if .nothing}}x{{end}}{{if .none}}x{{end}}{{if .map}}y{{end}}",
	"{{if .nan}}t{{end}}{{if .bytes}}t{{end}}{{if .nilmap}}t{{end}}{{if .empty}}t{{end}}{{if 0.0}}t{{end}}{{if .big}}t{{end}}", "{{if .absent}}{{end}}",
	"{{with .map.a}}{{.c}}{{$.n}}{{end}}", "{{with .nothing}}x{{else}}{{.n}}{{end}}", "{{with .no}}{{else with .text}}{{.}}{{end}}", "{{with $x := .n}}{{$x}}{{.}}{{end}}",
	"{{range .list}}[{{.}}]{{end}}", "{{range .none}}x{{else}}{{.n}}{{end}}", "{{range .nothing}}x{{else}}y{{end}}", "{{range .map.nil}}x{{else}}y{{end}}",
	"{{range $i, $x := .list}}{{$i}}={{$x}} {{end}}", "{{range $x := .list}}{{$x}}{{end}}", "{{range $k, $v := .map}}{{$k}}:{{$v}};{{end}}", "{{range .n}}{{.}}{{end}}",
	"{{range $x := 3}}{{$x}}{{end}}", "{{range $i, $x := 3}}{{end}}", "{{range .minus}}x{{else}}none{{end}}", "{{range .text}}{{end}}", "{{range .f}}{{end}}", "{{range .yes}}{{end}}",
	"{{range .bytes}}{{.}},{{end}}", "{{range $i, $b := .bytes}}{{$i}}{{$b}}{{end}}", "{{$x := 1}}{{range $x = .list}}{{$x}}{{end}}{{$x}}", "{{$x := 1}}{{range $x = .none}}{{end}}{{$x}}",
	"{{$i := 0}}{{$x := 1}}{{range $i, $x = .list}}{{$i}}{{end}}{{$i}}", "{{range .list}}{{.x}}{{end}}", "{{range $x := .list}}{{$x.y}}{{end}}",
	"{{range .list}}{{if eq . 2}}{{break}}{{end}}{{.}}{{end}}", "{{range .n}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{else}}none{{end}}", "{{range .n}}{{break}}{{else}}none{{end}}",
	"{{range .n}}{{range $.n}}{{break}}{{end}}{{.}}{{end}}", "{{range .n}}{{$x := .}}{{if true}}{{$x = 7}}{{continue}}{{end}}{{end}}", "{{break}}",
	"{{$x := 1}}{{$x}}{{$x = 2}}{{$x}}{{if true}}{{$x := 3}}{{$x}}{{end}}{{$x}}", "{{$x := .nothing}}{{$x.y}}", "{{$x := .map}}{{$x.a.c}}{{$.n}}", "{{$x 1}}", "{{$x := 1}}{{$x 1}}{{$.n 1}}",
	"{{$x := .map}}{{$x.a 1}}", "{{$x := 1}}{{2 | $x}}", "{{$y}}",
	"{{and 1 0 2}}{{and 1 2}}{{or 0 \"\"}}{{or 0 \"x\" .absent}}{{and .no .absent}}{{not 1}}{{not .nothing}}{{not nil}}", "{{and}}", "{{or}}", "{{1 | and}}{{0 | or 2}}{{.nothing | and 1}}", "{{and .absent 1}}",
	"{{and nil}}", "{{or nil .map.nil}}", "{{(or nil .map.nil).x}}", "{{not}}", "{{not 1 2}}", "{{1 | not 2}}", "{{eq and 1}}", "{{eq .n 3}}{{eq 3 .n}}{{eq .big 1}}{{eq 1 .big}}{{eq .n 1 2 3}}",
	"{{eq .text \"x\"}}{{eq .yes true}}{{eq .f 1.5}}{{eq .nan .nan}}{{ne .nan .nan}}", "{{eq .n 1.5}}", "{{eq .n \"3\"}}", "{{eq .nothing 1}}{{eq 1 nil}}{{eq nil nil}}{{eq .list nil}}{{eq .nilmap nil}}",
	"{{eq .list .list}}", "{{eq .list .map}}", "{{eq .map .nilmap}}", "{{eq .bytes .list}}", "{{eq 1}}", "{{eq}}", "{{1 | eq}}", "{{1 | eq 1}}", "{{ne 1}}", "{{ne 1 2 3}}", "{{ne .list nil}}",
	"{{lt 1 2}}{{lt .n 3}}{{le .n 3}}{{gt .big 1}}{{ge 1 .big}}{{lt .minus .big}}{{lt .big .minus}}{{lt \"a\" \"b\"}}{{le 1.5 .f}}{{gt 2.5 .f}}", "{{lt .nan 1.0}}{{le .nan 1.0}}{{gt .nan 1.0}}{{ge .nan 1.0}}",
	"{{lt 1 1.5}}", "{{lt true false}}", "{{lt nil 1}}", "{{lt .list 1}}", "{{gt 1 \"a\"}}", "{{ge .yes .no}}", "{{le 1}}", "{{2 | lt 1}}",
	"{{len .text}}{{len .list}}{{len .map}}{{len .bytes}}{{len .nilmap}}", "{{len .n}}", "{{len nil}}", "{{len .nothing}}", "{{len .map.nil}}", "{{len}}", "{{len 1 2}}", "{{.list | len}}",
	"{{index .list 0}}{{index .list 3 0}}{{index .map \"a\" \"c\"}}{{index .map \"absent\"}}{{index .list .zero}}{{index .text 0}}{{index .bytes 0}}{{index .n}}", "{{index}}", "{{index nil}}", "{{index nil 1}}",
	"{{index .list 5}}", "{{index .list 6}}", "{{index .list -1}}", "{{index .list \"a\"}}", "{{index .list nil}}", "{{index .list .big}}", "{{index .map 1}}", "{{index .map nil}}", "{{index .map \"nil\" 1}}",
	"{{index .map .absent}}", "{{index .n 1}}", "{{index .list 1.0}}", "{{0 | index .list}}", "{{index .list 1 1}}", "{{index .nilmap \"a\"}}",
	"{{upper .text}}{{upper \"a\"}}{{.text | upper | len}}", "{{upper 1}}", "{{upper true}}", "{{upper nil}}", "{{upper .n}}", "{{upper .nothing}}", "{{upper .map.nil}}", "{{upper}}", "{{upper \"a\" \"b\"}}",
	"{{.nothing | upper}}", "{{.n | upper}}", "{{upper .}}", "{{upper (index .list 0)}}", "{{range .list}}{{upper .}}{{end}}", "{{1 | upper}}",
	"{{default 1 .nothing}}{{default 1 nil}}{{.empty | default \"x\"}}{{default .list .n}}", "{{default 1}}", "{{(default nil nil).x}}", "{{fail 1}}", "{{if fail 1}}{{end}}", "{{len (fail .n)}}", "{{upper default}}", "{{len.x}}",
}

// The package does the same as text/template. It fails where that fails, and has written as much.
func TestLikeTextTemplate(t *testing.T) {
	t.Parallel()
	for _, text := range samples {
		got, err := execute(t, text)
		want, wantErr := really(text)
		require.Equal(t, want, got, text)
		requireSameError(t, text, wantErr, err)
	}
}

func requireSameError(t *testing.T, text string, want, err error) {
	t.Helper()
	require.Equal(t, want != nil, err != nil, "%s\n%v\n%v", text, want, err)
	require.Equal(t, errors.Is(want, errRefused), errors.Is(err, errRefused), text)
}

// The errors that authors of templates meet have the words of text/template.
func TestErrorsLikeTextTemplate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a\n{{.absent}}", "{{.map.absent}}", "{{.map.nil.x}}", "{{.text.x}}", "{{.map.a 1}}", "{{1 2}}", "{{$x := .nothing}}{{$x.y}}", "{{if .absent}}{{end}}",
		"{{upper 1}}", "{{upper .n}}", "{{upper .map.nil}}", "{{upper nil}}", "{{upper}}", "{{default 1}}", "{{eq .n \"3\"}}", "{{lt true false}}", "{{lt 1}}", "{{eq}}", "{{eq 1}}",
		"{{index nil}}", "{{index .map 1}}", "{{index .map nil}}", "{{index .list \"a\"}}", "{{index .list 6}}", "{{index .n 1}}", "{{len .n}}", "{{len .map.nil}}",
		"{{fail 1}}", "{{len (fail .n)}}", "{{9223372036854775808}}", "{{nil}}",
	} {
		_, want := really(text)
		_, err := execute(t, text)
		require.Error(t, want, text)
		require.EqualError(t, err, want.Error(), text)
	}
}

// show prints as text/template does.
func show(v any) (string, error) {
	var b strings.Builder
	err := texttemplate.Must(texttemplate.New("").Parse("{{.}}")).Execute(&b, v)
	return b.String(), err
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{{define "x"}}y{{end}}`:                          "t: define and block are not supported; write their content in place",
		`{{block "x" .}}y{{end}}`:                         "define and block are not supported",
		`{{if true}}{{template "t"}}{{end}}`:              `t:1:22: <{{template "t"}}>: template is not supported`,
		`{{range .x}}{{else}}{{len (index . 1i)}}{{end}}`: "t:1:35: <1i>: complex numbers are not supported",
		`{{printf "%99d" 1}}`:                             `function "printf" not defined`,
		`{{call .f}}`:                                     `function "call" not defined`,
		`{{js .f}}`:                                       `function "js" not defined`,
	} {
		_, err := plaintemplate.Parse("t", text, plaintemplate.Options{})
		require.ErrorContains(t, err, want)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	tmpl, err := plaintemplate.Parse("t", "{{range 3}}{{range 4}}{{end}}{{end}}", plaintemplate.Options{MaxTurns: 14})
	require.NoError(t, err)
	err = tmpl.Execute(t.Context(), &strings.Builder{}, nil)
	require.EqualError(t, err, `template: t:1:19: executing "t" at <{{range 4}}{{end}}>: the loops of the template take more than 14 turns`)
	tmpl, err = plaintemplate.Parse("t", "{{range 3}}{{range 4}}{{end}}{{end}}", plaintemplate.Options{MaxTurns: 15})
	require.NoError(t, err)
	require.NoError(t, tmpl.Execute(t.Context(), &strings.Builder{}, nil), "each execution counts anew")
	require.NoError(t, tmpl.Execute(t.Context(), &strings.Builder{}, nil))

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errRefused)
	require.Equal(t, errRefused, tmpl.Execute(ctx, &strings.Builder{}, nil))
}

// No template reaches a method or a field of a Go value.
func TestNoMethods(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{{.x.String}}", "{{.x.Len}}", "{{index .x 0}}", "{{range .x}}{{end}}", "{{len .x}}"} {
		tmpl, err := plaintemplate.Parse("t", text, plaintemplate.Options{})
		require.NoError(t, err)
		require.Error(t, tmpl.Execute(t.Context(), &strings.Builder{}, map[string]any{"x": &strings.Builder{}}), text)
	}
}

// FuzzLikeTextTemplate compares this package with text/template.
func FuzzLikeTextTemplate(f *testing.F) {
	for _, text := range samples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, err := plaintemplate.Parse("t", text, plaintemplate.Options{Functions: functions, Show: show, MaxTurns: 1000})
		if err != nil {
			return
		}
		var b strings.Builder
		err = tmpl.Execute(t.Context(), &b, data())
		if err != nil && strings.Contains(err.Error(), "take more than") {
			return // text/template has no bound
		}
		want, wantErr := really(text)
		require.Equal(t, want, b.String())
		requireSameError(t, text, wantErr, err)
	})
}
