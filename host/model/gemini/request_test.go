package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

func TestSettingsToolsAndFormat(t *testing.T) {
	t.Parallel()
	tools := []abi.ToolSpec{{Name: "f", Description: "does", Parameters: rawOf(t, `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"maximum":9007199254740993}}}`)}, {Name: "g"}}
	const declared = `{"functionDeclarations":[{"name":"f","description":"does","parametersJsonSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},
		"$defs":{"x":{"maximum":9007199254740993}}}},{"name":"g","parametersJsonSchema":{"type":"object","properties":{}}}]}`
	format := &model.Format{Name: "n", Schema: rawOf(t, `{"type":"object"}`), Strict: true}
	for _, test := range []struct {
		name              string
		of, given         string // settings
		tools             []abi.ToolSpec
		choice            string
		format            *model.Format
		want, unsupported string // without the contents; the error
	}{
		{name: "nothing", want: `{}`},
		{
			name: "a request's settings win, field by field", of: `{"generationConfig":{"temperature":1,"thinkingConfig":{"includeThoughts":true}},"cachedContent":"a","new":[1]}`,
			given: `{"generationConfig":{"temperature":0.5,"thinkingConfig":{"thinkingBudget":0}},"cachedContent":{"b":2}}`,
			want:  `{"generationConfig":{"temperature":0.5,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":0}},"cachedContent":{"b":2},"new":[1]}`,
		},
		{name: "tools", tools: tools, want: `{"tools":[` + declared + `]}`},
		{
			name: "Google's own tools", of: `{"tools":[{"googleSearch":{}}],"toolConfig":{"includeServerSideToolInvocations":true}}`, tools: tools, choice: "auto",
			want: `{"tools":[` + declared + `,{"googleSearch":{}}],"toolConfig":{"includeServerSideToolInvocations":true,"functionCallingConfig":{"mode":"AUTO"}}}`,
		},
		{name: "Google's own tools alone", of: `{"tools":[{"codeExecution":{}}]}`, choice: "any", want: `{"tools":[{"codeExecution":{}}]}`},
		{name: "none", tools: tools, choice: "none", want: `{"tools":[` + declared + `],"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`},
		{name: "any", tools: tools, choice: "any", want: `{"tools":[` + declared + `],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`},
		{name: "one", tools: tools, choice: "g", want: `{"tools":[` + declared + `],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["g"]}}}`},
		{
			name: "a format", format: format, given: `{"generationConfig":{"seed":1}}`,
			want: `{"generationConfig":{"seed":1,"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}`,
		},
		{name: "settings may ask for a format", given: `{"generationConfig":{"responseMimeType":"text/x.enum"}}`, want: `{"generationConfig":{"responseMimeType":"text/x.enum"}}`},
		{name: "contents are not a setting", of: `{"contents":[]}`, unsupported: `the setting "contents" is not allowed`},
		{name: "nor is the system prompt", given: `{"systemInstruction":{}}`, unsupported: `the setting "systemInstruction" is not allowed`},
		{name: "nor is the model", given: `{"model":"x"}`, unsupported: `the setting "model" is not allowed`},
		{name: "tools are a list", given: `{"tools":{"googleSearch":{}}}`, tools: tools, unsupported: `the setting "tools" must be a list`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := saying(t, hello)
			m := modelAt(t, s)
			if test.of != "" {
				m.Settings = mapOf(t, test.of)
			}
			req := request(abi.Human("hi"))
			if test.given != "" {
				req.Settings = mapOf(t, test.given)
			}
			req.Tools, req.ToolChoice, req.Format = test.tools, test.choice, test.format
			_, err := m.Generate(t.Context(), req)
			if test.unsupported != "" {
				require.ErrorContains(t, err, test.unsupported)
				require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
				require.False(t, failure(t, err).Retryable)
				require.Zero(t, s.count())
				return
			}
			require.NoError(t, err)
			body := s.last(t).body
			require.NotEmpty(t, body["contents"])
			delete(body, "contents")
			require.Equal(t, parsed(t, test.want), any(body), shown(body))
			if len(test.tools) > 0 {
				require.Contains(t, s.last(t).text, "9007199254740993")
			}
		})
	}
}

func TestHostileSettings(t *testing.T) {
	t.Parallel()
	s := saying(t, hello)
	m := modelAt(t, s)
	req := request(abi.Human("hi\xff"))
	req.Settings = wire.Map{{Key: "labels", Value: wire.Raw{0xc1}}}
	_, err := m.Generate(t.Context(), req)
	require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
	req.Settings = wire.Map{{Key: "blob", Value: wire.AppendBin(nil, []byte{1, 2})}}
	req.Tools = []abi.ToolSpec{{Name: "f", Parameters: wire.Raw{0xc1}}}
	req.Format = &model.Format{Schema: wire.Int(3)}
	_, err = m.Generate(t.Context(), req)
	require.NoError(t, err)
	body := s.last(t).body
	require.Equal(t, "AQI=", body["blob"])
	require.Equal(t, parsed(t, `[{"role":"user","parts":[{"text":"hi\ufffd"}]}]`), body["contents"])
	require.Equal(t, parsed(t, `[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object","properties":{}}}]}]`), body["tools"])
}

func TestRequestIsNotChanged(t *testing.T) {
	t.Parallel()
	s := saying(t, hello)
	m := modelAt(t, s)
	m.Settings = mapOf(t, `{"generationConfig":{"seed":1}}`)
	req, same := conversation(t), conversation(t)
	req.Settings = mapOf(t, `{"generationConfig":{"topK":1}}`)
	same.Settings = mapOf(t, `{"generationConfig":{"topK":1}}`)
	for range 2 {
		_, err := m.Generate(t.Context(), req)
		require.NoError(t, err)
	}
	require.Equal(t, same.Messages.Messages(), req.Messages.Messages())
	require.Equal(t, same.Settings, req.Settings)
	require.Equal(t, mapOf(t, `{"generationConfig":{"seed":1}}`), m.Settings)
}
