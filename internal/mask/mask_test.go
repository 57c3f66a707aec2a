package mask_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/mask"
)

const secret = `hunter2 "+/=?&ü`

func TestFormsOfASecret(t *testing.T) {
	t.Parallel()
	m := mask.Of(6, secret)
	for name, form := range map[string]string{
		"itself":             secret,
		"JSON":               `hunter2 \"+/=?&ü`,
		"JSON of Go":         "hunter2 \\\"+/=?\\u0026ü",
		"a query":            url.QueryEscape(secret),
		"a query with %20":   strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		"a path":             url.PathEscape(secret),
		"hex":                hex.EncodeToString([]byte(secret)),
		"upper hex":          strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64":             base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 after one":   base64.RawURLEncoding.EncodeToString([]byte("u" + secret + "more")),
		"base64 of password": base64.StdEncoding.EncodeToString([]byte("me:" + secret)),
	} {
		masked := m.Text("a " + form + " b")
		require.Contains(t, masked, mask.Hidden, name)
		for at := range len(form) - 12 { // a part that would reveal much
			require.NotContains(t, masked, form[at:at+12], name)
		}
		require.Equal(t, masked, string(m.Bytes([]byte("a "+form+" b"))))
		require.True(t, m.In(form), name)
	}
	require.False(t, m.In("hunter"))
}

func TestShortSecretsAreNotHidden(t *testing.T) {
	t.Parallel()
	require.Nil(t, mask.Of(6, "", "12345"))
	var none *mask.Mask
	require.Equal(t, "text", none.Text("text"))
	require.False(t, none.In("text"))
	require.Equal(t, []byte("text"), none.Bytes([]byte("text")))
	require.Equal(t, "te", none.Stream().Add("te"))
	body := io.NopCloser(strings.NewReader("text"))
	require.Equal(t, body, none.Reader(body))
	require.Equal(t, io.EOF, none.Error(io.EOF))
}

func TestAStreamHidesSecretsThatAreCut(t *testing.T) {
	t.Parallel()
	m := mask.Of(6, "abcabd", "xyzxyz-1")
	for _, text := range []string{"abcabd", "1 abcabd, abcabcabd xyzxyz-1", "abcabc abcab", "xyzxyz-", "abcabdabcabd", strings.Repeat("ab", 20) + "cabd"} {
		for cut := range len(text) + 1 {
			s := m.Stream()
			got := s.Add(text[:cut])
			require.False(t, m.In(got))
			got += s.Add(text[cut:])
			require.Equal(t, m.Text(text), got+s.End())
		}
		s, got := m.Stream(), ""
		for i := range text {
			got += s.Add(text[i : i+1])
		}
		require.Equal(t, m.Text(text), got+s.End(), "byte by byte")
	}
	s := m.Stream()
	require.Equal(t, "yes ", s.Add("yes "), "what cannot become a secret is passed on at once")
}

func TestAReaderHidesSecrets(t *testing.T) {
	t.Parallel()
	m := mask.Of(6, secret)
	text := strings.Repeat("a "+secret+" b\n", 3000)
	for name, body := range map[string]io.Reader{
		"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)), "half": iotest.HalfReader(strings.NewReader(text)),
		"data with the error": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := io.ReadAll(m.Reader(io.NopCloser(body)))
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("a *** b\n", 3000), string(got), name)
	}
	require.NoError(t, iotest.TestReader(m.Reader(io.NopCloser(strings.NewReader("x "+secret))), []byte("x ***")))

	_, err := io.ReadAll(m.Reader(io.NopCloser(iotest.ErrReader(errors.New("bad line: " + secret)))))
	require.EqualError(t, err, "bad line: ***")
}

func TestErrorsDoNotLeadToASecret(t *testing.T) {
	t.Parallel()
	m := mask.Of(6, secret)
	cause := errors.New("server said " + secret)
	masked := m.Error(cause)
	require.EqualError(t, masked, "server said ***")
	require.NotErrorIs(t, masked, cause)
	require.Equal(t, io.ErrUnexpectedEOF, m.Error(io.ErrUnexpectedEOF))
	require.NoError(t, m.Error(nil))
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"Bearer abc":                   {"abc"},
		"token abc":                    {"abc"},
		"abc":                          {"abc"},
		"a=1; session=\"s\"":           {"1", "s"},
		"Basic " + basic("me", "pass"): {basic("me", "pass"), "me:pass", "pass"},
	} {
		require.Subset(t, mask.Credentials(value), want, value)
		require.NotContains(t, mask.Credentials(value), "Bearer")
	}
	for name, want := range map[string]bool{
		"Authorization": true, "proxy-authorization": true, "X-Api-Key": true, "X-Auth": true, "Cookie": true, "x-goog-api-key": true,
		"PRIVATE-TOKEN": true, "Accept": false, "X-Team": false, "Content-Type": false,
	} {
		require.Equal(t, want, mask.IsCredential(name), name)
	}
	address, err := url.Parse("https://me:pass@host/?key=k&page=p")
	require.NoError(t, err)
	header := http.Header{"Authorization": {"Bearer b"}, "Accept": {"a"}}
	require.ElementsMatch(t, []string{"b", "b", "pass", "k"}, mask.OfRequest(header, address))
}

func basic(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

func FuzzStream(f *testing.F) {
	f.Add("abcabd abcab", uint(3))
	f.Add("the key is sk-12345678 and again sk-12345678", uint(17))
	m := mask.Of(6, "abcabd", "sk-12345678")
	f.Fuzz(func(t *testing.T, text string, cut uint) {
		at := int(cut % uint(len(text)+1))
		s := m.Stream()
		first := s.Add(text[:at])
		require.False(t, m.In(first))
		require.False(t, m.In(first+s.Add(text[at:])+s.End()))
	})
}
