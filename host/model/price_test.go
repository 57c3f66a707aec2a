package model_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

func amount(t *testing.T, text string) model.Amount {
	t.Helper()
	a, err := model.ParseAmount(text)
	require.NoError(t, err)
	return a
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "1", "1.25", "0.000000001", "9223372036.854775807"} {
		require.Equal(t, text, amount(t, text).String())
	}
	for _, text := range []string{"", ".5", "-1", "1e3", "1,5", "0.0000000001", "9223372037", "x"} {
		_, err := model.ParseAmount(text)
		require.Error(t, err, text)
	}
	shown, err := json.Marshal(amount(t, "1.50"))
	require.NoError(t, err)
	require.Equal(t, "1.5", string(shown))
	var read model.Amount
	require.NoError(t, json.Unmarshal(shown, &read))
	require.Equal(t, amount(t, "1.5"), read)
}

func TestPrices(t *testing.T) {
	t.Parallel()
	cheap := amount(t, "0.125")
	price := model.Price{Input: amount(t, "1.25"), Output: amount(t, "10"), CacheRead: &cheap}
	prices := &model.Prices{Currency: "USD", Models: map[string]model.Price{"openai:gpt": price, "other": {}}}
	for _, c := range []struct {
		name string
		used abi.Usage
		want string
	}{
		{"a million", abi.Usage{InputTokens: 1_000_000}, "1.25"},
		{"input and output", abi.Usage{InputTokens: 1000, OutputTokens: 100}, "0.00225"},
		{"cached", abi.Usage{InputTokens: 1000, CacheReadTokens: 800}, "0.00035"},
		{"written to the cache, without a price of its own", abi.Usage{InputTokens: 1000, CacheCreationTokens: 1000}, "0.00125"},
		{"more cached than there was", abi.Usage{InputTokens: 1, CacheReadTokens: 1_000_000}, "0.125"},
		{"absurd", abi.Usage{InputTokens: math.MaxUint64, OutputTokens: math.MaxUint64, CacheReadTokens: math.MaxUint64, CacheCreationTokens: 9}, "9223372036.854775807"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cost := prices.Cost(model.Info{Provider: "openai", Name: "gpt"}, []abi.Message{{Usage: &c.used}})
			require.Equal(t, model.Cost{Amount: amount(t, c.want)}, cost)
		})
	}
	require.NoError(t, prices.Check(model.Info{Provider: "any", Name: "other"}))
	require.ErrorIs(t, prices.Check(model.Info{Provider: "azure", Name: "gpt"}), model.ErrNoPrice)
	require.ErrorContains(t, (*model.Prices)(nil).Check(model.Info{Name: "m"}), `the model "m": its price is unknown`)
	require.Equal(t, model.Cost{Unknown: "gpt"}, prices.Cost(model.Info{Provider: "openai", Name: "gpt"}, []abi.Message{{}}), "the provider counts no tokens")
	sum := model.Cost{Amount: 1}.Add(model.Cost{Amount: math.MaxInt64, Unknown: "m"})
	require.Equal(t, model.Cost{Amount: math.MaxInt64, Unknown: "m"}, sum)
	require.Nil(t, sum.Known())
}
