package model

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// Amount is an amount of money, in billionths of the currency's unit, so that sums are exact.
type Amount int64

// unit is the number of billionths in a unit of a currency.
const unit = 1_000_000_000

// ParseAmount reads an amount such as "1.25": not negative, with at most nine digits after the point.
func ParseAmount(text string) (Amount, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > 9 {
		return 0, fmt.Errorf("%q has more than nine digits after the point", text)
	}
	digits := whole + fraction + strings.Repeat("0", 9-len(fraction))
	if whole == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not an amount; write a number such as 1.25", text)
	}
	value, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large an amount", text)
	}
	return Amount(value), nil
}

// String returns the amount as ParseAmount reads it.
func (a Amount) String() string {
	sign, size := "", a
	if a < 0 {
		sign, size = "-", -a
	}
	text := fmt.Sprintf("%s%d.%09d", sign, size/unit, size%unit)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// MarshalJSON writes the amount as a number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON reads a number.
func (a *Amount) UnmarshalJSON(text []byte) (err error) {
	*a, err = ParseAmount(string(text))
	return err
}

// plus adds amounts. A sum that would be too large is the largest amount.
func (a Amount) plus(other Amount) Amount {
	if a > math.MaxInt64-other {
		return math.MaxInt64
	}
	return a + other
}

// Price is what a million tokens of a model cost.
type Price struct {
	Input, Output Amount
	CacheRead     *Amount // input tokens that were read from the provider's cache; nil: like other input tokens
	CacheWrite    *Amount // input tokens that were written to the cache; nil: like other input tokens
}

// Of returns what a model call cost. Parts of the smallest unit are rounded up.
func (p *Price) Of(u abi.Usage) Amount {
	cached := u.CacheReadTokens + u.CacheCreationTokens
	if cached < u.CacheReadTokens || cached > u.InputTokens { // some providers do not count them as input tokens
		cached = min(cached, u.InputTokens)
	}
	sum := share(u.InputTokens-cached, p.Input).plus(share(u.OutputTokens, p.Output))
	for _, part := range []struct {
		tokens uint64
		price  *Amount
	}{{u.CacheReadTokens, p.CacheRead}, {u.CacheCreationTokens, p.CacheWrite}} {
		price := p.Input
		if part.price != nil {
			price = *part.price
		}
		sum = sum.plus(share(part.tokens, price))
	}
	return sum
}

// share returns the price of tokens, given that of a million.
func share(tokens uint64, million Amount) Amount {
	const all = 1_000_000
	high, low := bits.Mul64(tokens, uint64(million))
	low, carry := bits.Add64(low, all-1, 0)
	if high += carry; high >= all {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, all)
	return Amount(min(quotient, math.MaxInt64))
}

// Prices are the prices of models.
type Prices struct {
	Currency string           // such as "USD"
	Models   map[string]Price // by PROVIDER:NAME, or by NAME for any provider
}

// Of returns the price of a model, by [Info.Provider] and [Info.Name]. Nil prices have none.
func (p *Prices) Of(i Info) (Price, bool) {
	if p == nil {
		return Price{}, false
	}
	price, ok := p.Models[i.Provider+":"+i.Name]
	if !ok {
		price, ok = p.Models[i.Name]
	}
	return price, ok
}

// ErrNoPrice means that the price of a model is unknown.
var ErrNoPrice = errors.New("its price is unknown")

// Check returns an error that wraps ErrNoPrice if the price of a model is unknown.
func (p *Prices) Check(i Info) error {
	if _, ok := p.Of(i); ok {
		return nil
	}
	name := i.Name
	if i.Provider != "" {
		name = i.Provider + ":" + i.Name
	}
	return fmt.Errorf("the model %q: %w, so a budget in money cannot be kept; add the model to prices", name, ErrNoPrice)
}

// Cost returns what a model call with this answer cost. Without a price, or if the provider does not say how many tokens it used, the cost is
// unknown.
func (p *Prices) Cost(i Info, answer []abi.Message) Cost {
	price, ok := p.Of(i)
	out, counted := Cost{}, false
	for k := range answer {
		if used := answer[k].Usage; used != nil && ok {
			counted, out.Amount = true, out.Amount.plus(price.Of(*used))
		}
	}
	if !counted {
		out.Unknown = i.Name
	}
	return out
}

// Cost is what something cost.
type Cost struct {
	Amount  Amount // what is known of it
	Unknown string // a model whose calls cost more than that, but nobody knows how much; "": there is none
}

// Add returns the sum.
func (c Cost) Add(other Cost) Cost {
	c.Amount = c.Amount.plus(other.Amount)
	if c.Unknown == "" {
		c.Unknown = other.Unknown
	}
	return c
}

// Known returns the amount; nil if a part of it is unknown.
func (c Cost) Known() *Amount {
	if c.Unknown != "" {
		return nil
	}
	return &c.Amount
}
