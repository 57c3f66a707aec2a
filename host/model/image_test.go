package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
)

func TestAcceptsImage(t *testing.T) {
	t.Parallel()
	for mime, want := range map[string]bool{
		"image/gif": true, "image/jpeg": true, "image/png": true, "image/webp": true,
		"image/svg+xml": false, "image/PNG": false, "image/png; charset=x": false, "application/pdf": false, "": false,
	} {
		require.Equal(t, want, model.AcceptsImage(mime), mime)
	}
}
