//go:build !no_cloud

package azure_test

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/test/cloudservers"
)

// slowToken is a credential whose first token comes when somebody lets it.
type slowToken struct {
	asked   chan struct{} // gets a value for each request
	release chan struct{}
	calls   atomic.Int32
}

func (s *slowToken) GetToken(ctx context.Context, _ policy.TokenRequestOptions) (azcore.AccessToken, error) {
	s.calls.Add(1)
	s.asked <- struct{}{}
	select {
	case <-s.release:
		return azcore.AccessToken{Token: "eyJ0eXAi.slow-token", ExpiresOn: time.Now().Add(time.Hour)}, nil
	case <-ctx.Done():
		return azcore.AccessToken{}, ctx.Err()
	}
}

// A request that waits for the token of another one can be cancelled, and one token serves all.
func TestASlowTokenDoesNotHoldCancelledRequests(t *testing.T) {
	t.Parallel()
	of := account()
	of.Admit("eyJ0eXAi.slow-token")
	s := cloudservers.AzureOpenAI(t, answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, saidByChat) }), of)
	credential := &slowToken{asked: make(chan struct{}, 8), release: make(chan struct{})}
	m := modelAt(t, s.URL, &azure.Platform{Credential: credential})
	m.LookupEnv = lookup(nil)
	ask := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := m.Generate(ctx, hello())
			done <- err
		}()
		return done
	}
	first, stop := context.WithCancel(t.Context())
	leader := ask(first)
	<-credential.asked

	gone, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, <-ask(gone), context.DeadlineExceeded, "while the token is fetched")

	second, third := ask(t.Context()), ask(t.Context())
	stop()
	require.ErrorIs(t, <-leader, context.Canceled)
	<-credential.asked // by another request, whose context is its own
	close(credential.release)
	require.NoError(t, <-second)
	require.NoError(t, <-third)
	require.EqualValues(t, 2, credential.calls.Load())
}
