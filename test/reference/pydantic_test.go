package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/reference"
)

func TestAsJSON(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		`Returning structured response: {"score":3,"title":"T3"}`:     `Returning structured response: title='T3' score=3`,
		`Returning structured response: {"a":"it's \"so\"","b":-1.5}`: `Returning structured response: a='it\'s "so"' b=-1.5`,
		`Returning structured response: {"a":true,"b":null}`:          `Returning structured response: a=True b=None`,
		`Returning structured response: title=[1]`:                    `Returning structured response: title=[1]`,
		`Returning structured response: `:                             `Returning structured response: `,
		`Returning structured response: {"a":1}`:                      `Returning structured response: {"a":1}`,
		`title='T3'`:                                                  `title='T3'`,
	} {
		require.Equal(t, want, reference.AsJSON(text))
	}
}
