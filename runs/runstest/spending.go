package runstest

import (
	"math"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// spending holds that costs add up by owner, day and currency, and that a sum neither overflows nor loses anything below that.
func (c *check) spending() {
	today, yesterday := runs.Day(noon), runs.Day(noon).AddDate(0, 0, -1)
	for _, spent := range []runs.Spending{
		{Owner: ann, Day: today, Currency: "USD", Amount: 5},
		{Owner: ann, Day: today, Currency: "EUR", Amount: 3},
		{Owner: ann, Day: yesterday, Currency: "EUR", Amount: 1, Unknown: 1},
		{Owner: ann, Day: today, Currency: "EUR", Amount: 4, Unknown: 2},
		{Owner: bob, Day: today, Currency: "EUR", Amount: math.MaxInt64},
		{Owner: bob, Day: today, Currency: "EUR", Amount: math.MaxInt64},
		{Owner: bob, Day: yesterday, Currency: "EUR", Amount: math.MaxInt64},
	} {
		require.NoError(c.t, c.s.Spend(c.ctx(), &spent))
	}
	spent := func(owner string, since time.Time) []runs.Spending {
		rows, err := c.s.Spent(c.ctx(), owner, since)
		require.NoError(c.t, err)
		return rows
	}
	ofToday := []runs.Spending{
		{Owner: ann, Day: today, Currency: "EUR", Amount: 7, Unknown: 2},
		{Owner: ann, Day: today, Currency: "USD", Amount: 5},
	}
	require.Equal(c.t, ofToday, spent(ann, today))
	require.Equal(c.t, append([]runs.Spending{{Owner: ann, Day: yesterday, Currency: "EUR", Amount: 1, Unknown: 1}}, ofToday...), spent(ann, yesterday))
	require.Empty(c.t, spent(ann, today.AddDate(0, 0, 1)))
	require.Equal(c.t, []runs.Spending{{Owner: bob, Day: today, Currency: "EUR", Amount: runs.MaxSpending}}, spent(bob, today))

	most, err := c.s.Spenders(c.ctx(), yesterday, 2)
	require.NoError(c.t, err)
	require.Equal(c.t, []runs.Spending{
		{Owner: bob, Day: yesterday, Currency: "EUR", Amount: 2 * runs.MaxSpending},
		{Owner: ann, Day: yesterday, Currency: "EUR", Amount: 8, Unknown: 3},
	}, most)
	most, err = c.s.Spenders(c.ctx(), today, 0)
	require.NoError(c.t, err)
	require.Empty(c.t, most)

	for what, wrong := range map[string]runs.Spending{
		"no currency":     {Owner: ann, Day: today, Amount: 1},
		"no day":          {Owner: ann, Currency: "EUR", Amount: 1},
		"a time of a day": {Owner: ann, Day: noon, Currency: "EUR", Amount: 1},
		"less":            {Owner: ann, Day: today, Currency: "EUR", Amount: -1},
		"no owner's name": {Owner: "a\nb", Day: today, Currency: "EUR", Amount: 1},
	} {
		require.ErrorIs(c.t, c.s.Spend(c.ctx(), &wrong), runs.ErrInvalidValue, what)
	}
}

// spendTogether holds that no cost is lost when several processes write at once.
func (c *check) spendTogether(s *Shared) {
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			at := []runs.Store{s.A, s.B}[i%2]
			if err := at.Spend(c.ctx(), &runs.Spending{Owner: ann, Day: runs.Day(noon), Currency: "EUR", Amount: 1}); err != nil {
				c.t.Error(err)
			}
		})
	}
	all.Wait()
	rows, err := s.B.Spent(c.ctx(), ann, runs.Day(noon))
	require.NoError(c.t, err)
	require.Equal(c.t, []runs.Spending{{Owner: ann, Day: runs.Day(noon), Currency: "EUR", Amount: 20}}, rows)
}
