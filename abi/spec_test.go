package abi_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// SPEC.md must say what the code does. These tests compare its tables with the structs and constants, and its examples
// with the byte vectors. go test ./abi -update rewrites the examples.

const specFile = "SPEC.md"

var (
	hexExample = regexp.MustCompile("(?s)(```hex ([a-z_0-9.]+)\n).*?(```\n)")
	cArray     = regexp.MustCompile(`(?s)(\{ // vector ([a-z_0-9.]+)\n).*?(\};\n)`)
	inputSize  = regexp.MustCompile(`before_model\((\d+|LENGTH)\)|(the host copies) (?:\d+|LENGTH) (bytes, returns) (?:\d+|LENGTH)`)
)

func readSpec(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(specFile)
	require.NoError(t, err)
	return string(text)
}

// requireSays is require.Contains, but does not print the whole text when it fails.
func requireSays(t *testing.T, spec, text string) {
	t.Helper()
	if !strings.Contains(spec, text) {
		require.Fail(t, "SPEC.md does not say "+strconv.Quote(text))
	}
}

// vectorBytes returns the bytes of a vector. TestVectors compares them with the vector's file.
func vectorBytes(t *testing.T, stem string) []byte {
	t.Helper()
	for _, v := range vectors() {
		if v.stem == stem {
			return marshal(t, v.doc)
		}
	}
	require.Fail(t, "SPEC.md means a vector that does not exist", stem)
	return nil
}

func TestSpecExamplesAreTheVectors(t *testing.T) {
	t.Parallel()
	spec := readSpec(t)
	want := hexExample.ReplaceAllStringFunc(spec, func(example string) string {
		parts := hexExample.FindStringSubmatch(example)
		return parts[1] + annotated(vectorBytes(t, parts[2])) + parts[3]
	})
	want = cArray.ReplaceAllStringFunc(want, func(array string) string {
		parts := cArray.FindStringSubmatch(array)
		return parts[1] + cBytes(vectorBytes(t, parts[2])) + parts[3]
	})
	length := strconv.Itoa(len(vectorBytes(t, "hook_input.worked")))
	want = inputSize.ReplaceAllStringFunc(want, func(text string) string {
		if strings.HasPrefix(text, "before_model") {
			return "before_model(" + length + ")"
		}
		return "the host copies " + length + " bytes, returns " + length
	})
	if *update {
		require.NoError(t, os.WriteFile(specFile, []byte(want), 0o600))
	}
	if want != readSpec(t) {
		require.Fail(t, "an example in SPEC.md is stale; go test ./abi -update rewrites it")
	}
	requireSays(t, spec, fmt.Sprintf("│ % x … ", vectorBytes(t, "hook_input.worked")[:4]))
	requireSays(t, spec, fmt.Sprintf("│ % x … ", vectorBytes(t, "result.worked")[:5]))
	requireSays(t, spec, fmt.Sprintf("result_write(result, %d): the host validates and copies %[1]d bytes", len(vectorBytes(t, "result.worked"))))
}

// annotated shows a document as hex, with one line for every key and element and its meaning next to it.
func annotated(b []byte) string {
	var lines [][2]string
	annotate(wire.Raw(b), "", "", 0, &lines)
	width := 0
	for _, line := range lines {
		width = max(width, len(line[0]))
	}
	var out strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&out, "%-*s   %s\n", width, line[0], line[1])
	}
	return out.String()
}

// annotate adds the lines of one value, which may follow a key.
func annotate(value wire.Raw, keyHex, label string, depth int, lines *[][2]string) {
	const short = 32 // bytes of a container of scalars that fits into its line
	hex := strings.Repeat("  ", depth) + keyHex
	plain := value.JSON()
	isContainer := value.IsMap() || value.IsArray()
	if !isContainer || (len(value) <= short && flat(value)) {
		*lines = append(*lines, [2]string{hex + tokens(value), label + plain})
		return
	}
	if value.IsArray() {
		*lines = append(*lines, [2]string{hex + tokens(value[:len(value)-len(value.Tail())]), label + "array of " + strconv.Itoa(value.Len())})
		for element := range value.Elements() {
			annotate(element, "", "", depth+1, lines)
		}
		return
	}
	*lines = append(*lines, [2]string{hex + tokens(value[:len(value)-len(value.Tail())]), label + "map of " + strconv.Itoa(value.Len())})
	for key, element := range value.Pairs() {
		annotate(element, tokens(wire.String(string(key)))+" ", string(key)+": ", depth+1, lines)
	}
}

// flat reports whether a container holds only scalars.
func flat(value wire.Raw) bool {
	for element := range value.Elements() {
		if element.IsArray() || element.IsMap() {
			return false
		}
	}
	for _, element := range value.Pairs() {
		if element.IsArray() || element.IsMap() {
			return false
		}
	}
	return true
}

// tokens shows bytes as hex, with heads separated from their payload.
func tokens(b wire.Raw) string {
	var out []string
	for len(b) > 0 {
		head, payload := 1, 0
		switch c := b[0]; {
		case c >= 0xa0 && c <= 0xbf:
			payload = int(c & 0x1f)
		case c == 0xd9 || c == 0xc4:
			head, payload = 2, int(b[1])
		case c == 0xcc:
			payload = 1
		case c == 0xcd:
			payload = 2
		case c == 0xce:
			payload = 4
		case c == 0xcf || c == 0xcb:
			payload = 8
		}
		out = append(out, fmt.Sprintf("%x", []byte(b[:head])))
		if payload > 0 {
			out = append(out, fmt.Sprintf("%x", []byte(b[head:head+payload])))
		}
		b = b[head+payload:]
	}
	return strings.Join(out, " ")
}

func cBytes(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		n := min(len(b), 16)
		out.WriteString("   ")
		for _, c := range b[:n] {
			fmt.Fprintf(&out, " 0x%02x,", c)
		}
		out.WriteByte('\n')
		b = b[n:]
	}
	return out.String()
}

// sections returns the parts of SPEC.md below headings of this level, by heading.
func sections(spec, level string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split("\n"+spec, "\n"+level+" ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		if i := strings.Index(body, "\n## "); i >= 0 {
			body = body[:i]
		}
		out[heading] = body
	}
	return out
}

var (
	tableRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)(\\?)?` \\|")
	listed   = regexp.MustCompile("`([a-z_]+)(\\?)?`( \\(|[,.]|\n)")
)

func TestSpecTablesAreTheStructs(t *testing.T) {
	t.Parallel()
	documents := sections(readSpec(t), "###")
	require.Len(t, documents, len(documentTypes()), "a heading is not a document, or a document has no heading")
	for _, d := range documentTypes() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			body, ok := documents[d.name]
			require.True(t, ok, "SPEC.md has no section %q", d.name)
			want := keysOf(d)
			if want == nil {
				return
			}
			rows := tableRow.FindAllStringSubmatch(body, -1)
			if _, list, ok := strings.Cut(body, "Keys: "); ok {
				list, _, _ = strings.Cut(list, "\n\n")
				rows = listed.FindAllStringSubmatch(withoutTypes.ReplaceAllString(list, ""), -1)
			}
			var got []key
			for _, row := range rows {
				got = append(got, key{row[1], row[2] == "?"})
			}
			require.Equal(t, want, got)
		})
	}
}

// withoutTypes finds the text in brackets after a key.
var withoutTypes = regexp.MustCompile(`(?s)\s\([^()]*\)`)

func TestSpecNamesTheInterface(t *testing.T) {
	t.Parallel()
	spec := readSpec(t)
	requireSays(t, spec, fmt.Sprintf("version %d.%d", abi.Major, abi.Minor))
	requireSays(t, spec, "`"+abi.Module+"`")
	for name, signature := range map[string]string{
		abi.Marker: "() -> ()", abi.Initialize: "() -> ()", abi.ExportDescribe: "() -> i32", abi.ExportConfigure: "(len i32) -> i32",
		abi.ExportCallTool: "(len i32) -> i32", abi.ImportInputRead: "(buf i32, cap i32) -> i32", abi.ImportResultWrite: "(ptr i32, len i32) -> i32",
		abi.ImportNext: "(ptr i32, len i32) -> i64", abi.ImportHostCall: "(op i32, oplen i32, ptr i32, len i32) -> i64",
		abi.ImportReplyRead: "(buf i32, cap i32) -> i32", abi.ImportLog: "(level i32, ptr i32, len i32)",
	} {
		requireSays(t, spec, fmt.Sprintf("| %#q | %#q |", name, signature))
	}
	for _, hook := range abi.Hooks() {
		requireSays(t, spec, fmt.Sprintf("\n| %#q | ", hook))
	}
	requireSays(t, spec, fmt.Sprintf("| %#q | memory |", abi.Memory))
}

func TestSpecNamesEveryStatus(t *testing.T) {
	t.Parallel()
	spec := readSpec(t)
	for _, s := range []abi.Status{
		abi.StatusOK, abi.EINVAL, abi.ENOENT, abi.ETOOBIG, abi.EDENIED, abi.ENOTSUP, abi.EBUSY, abi.ELIMIT, abi.ECONFLICT,
		abi.StatusFailed, abi.StatusInterrupted, abi.StatusCancelled,
	} {
		requireSays(t, spec, fmt.Sprintf("\n| %d | %#q | ", int32(s), s))
	}
	requireSays(t, spec, fmt.Sprintf("0x%08x_%08x is status −20 with a reply of 42 bytes",
		abi.Pack(abi.StatusFailed, 42)>>32, abi.Pack(abi.StatusFailed, 42)&math.MaxUint32))
	requireSays(t, spec, fmt.Sprintf("%d debug, %d info, %d warning or %d error", abi.LogDebug, abi.LogInfo, abi.LogWarn, abi.LogError))
}

func TestSpecNamesEveryOperation(t *testing.T) {
	t.Parallel()
	body := sections(readSpec(t), "##")["13. Operations"]
	for _, op := range []string{
		abi.OpStateRead, abi.OpEventEmit, abi.OpBudget, abi.OpKVGet, abi.OpKVPut, abi.OpKVDelete, abi.OpKVList, abi.OpHTTPFetch,
		abi.OpModelGenerate, abi.OpToolCall, abi.OpClockNow, abi.OpRandomBytes, abi.OpRunInfo, abi.OpModelInfo, abi.OpToolsRead, abi.OpTokensCount, abi.OpBatch,
		abi.OpClockSleep,
	} {
		require.Regexp(t, "(?m)^\\|.*`"+regexp.QuoteMeta(op)+"`", body)
	}
}

func TestSpecTellsTheLimitsOfPackageWire(t *testing.T) {
	t.Parallel()
	spec := readSpec(t)
	requireSays(t, spec, fmt.Sprintf("nesting %d, and %d in values of models and callers, values 131,072", wire.DefaultLimits.MaxDepth, wire.MaxValueDepth))
	require.Equal(t, 131072, wire.DefaultLimits.MaxNodes)
	requireSays(t, spec, fmt.Sprintf("| input document, and reply | %d MiB |", wire.DefaultLimits.MaxBytes>>20))
}
