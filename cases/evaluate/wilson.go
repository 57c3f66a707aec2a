package evaluate

import "math"

// Rate is how often something happened, with the interval of Wilson in which the true rate is with a probability of 95 %.
type Rate struct {
	Hits  int     `json:"hits"`
	Of    int     `json:"of"`
	Rate  float64 `json:"rate"`
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// z is the quantile of the normal distribution for 95 %.
const z = 1.959963984540054

// RateOf returns the rate of hits. Without tries, the interval is everything.
func RateOf(hits, of int) Rate {
	if of == 0 {
		return Rate{Upper: 1}
	}
	n, p := float64(of), float64(hits)/float64(of)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Rate{Hits: hits, Of: of, Rate: p, Lower: math.Max(0, middle-half), Upper: math.Min(1, middle+half)}
}

// Differs reports whether two rates differ so much that their intervals do not overlap.
func (r Rate) Differs(other Rate) bool { return r.Lower > other.Upper || other.Lower > r.Upper }
