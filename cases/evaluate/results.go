package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host/model"
)

// Results are the samples and pairs of an evaluation.
type Results struct {
	Samples []Sample `json:"samples"`
	Pairs   []Pair   `json:"pairs,omitempty"`
}

func (r *Results) add(s *Sample, pair *Pair) {
	if s != nil {
		r.Samples = append(r.Samples, *s)
	}
	if pair != nil {
		r.Pairs = append(r.Pairs, *pair)
	}
}

func (r *Results) find(p place) *Sample {
	for i := range r.Samples {
		if s := &r.Samples[i]; (place{s.Variant, s.Case, s.Repeat}) == p {
			return s
		}
	}
	return nil
}

func (r *Results) has(p place) bool { return r.find(p) != nil }

// pairOf returns the two samples of a repeat, and whether they were compared.
func (r *Results) pairOf(title string, repeat int) (own, against *Sample, judged bool) {
	judged = slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Case == title && p.Repeat == repeat })
	return r.find(place{VariantOwn, title, repeat}), r.find(place{VariantAgainst, title, repeat}), judged
}

// Summary is the outcome of an evaluation.
type Summary struct {
	Total  []Row       `json:"total"` // one for each variant
	Cases  []Row       `json:"cases"` // by case and variant
	Pairs  *PairResult `json:"pairs,omitempty"`
	Before []Row       `json:"before,omitempty"` // the total of the evaluation before
}

// Row says what came of the samples of a case, or of all cases.
type Row struct {
	Case    string        `json:"case,omitempty"` // "": all
	Variant string        `json:"variant"`
	Passed  Rate          `json:"passed"`
	Score   *float64      `json:"score,omitempty"` // mean of the judge's
	Median  time.Duration `json:"median"`          // of the duration, in nanoseconds
	Slow    time.Duration `json:"percentile_95"`   // of the duration, in nanoseconds
	Usage   abi.Usage     `json:"usage"`           // sum
	Calls   int           `json:"model_calls"`     // sum
	// Cost is the sum of what the model calls cost, in the currency of the manifest's prices, without those that are unpriced.
	Cost     model.Amount `json:"cost"`
	Unpriced int          `json:"unpriced_calls"`   // model calls whose cost is unknown
	Errors   int          `json:"errors,omitempty"` // samples that could not be performed or judged
	Why      []string     `json:"why,omitempty"`    // the most frequent differences and errors, at most three
}

// Costs returns what the model calls cost, for people; "" if the manifest has no prices.
func (r *Row) Costs() string {
	switch {
	case r.Unpriced == r.Calls && r.Cost == 0:
		return ""
	case r.Unpriced > 0:
		return fmt.Sprintf("%v, without %d of %d model calls", r.Cost, r.Unpriced, r.Calls)
	default:
		return r.Cost.String()
	}
}

// PairResult says which variant the judge prefers.
type PairResult struct {
	Own     Rate `json:"own"`     // among the pairs with a preference
	Against Rate `json:"against"` // among the pairs with a preference
	Ties    int  `json:"ties"`
	Errors  int  `json:"errors,omitempty"`
}

// Summarize makes the tables of an evaluation. before has the results of the one before; nil: there is none.
func Summarize(r, before *Results) *Summary {
	out := &Summary{}
	for _, variant := range []string{VariantOwn, VariantAgainst} {
		if row := rowOf(r, "", variant); row.Passed.Of > 0 {
			out.Total = append(out.Total, row)
		}
		if before != nil {
			if row := rowOf(before, "", variant); row.Passed.Of > 0 {
				out.Before = append(out.Before, row)
			}
		}
	}
	var titles []string
	for i := range r.Samples {
		if !slices.Contains(titles, r.Samples[i].Case) {
			titles = append(titles, r.Samples[i].Case)
		}
	}
	slices.Sort(titles)
	for _, title := range titles {
		for _, total := range out.Total {
			if row := rowOf(r, title, total.Variant); row.Passed.Of > 0 {
				out.Cases = append(out.Cases, row)
			}
		}
	}
	if len(r.Pairs) > 0 {
		out.Pairs = pairsOf(r.Pairs)
	}
	return out
}

func pairsOf(pairs []Pair) *PairResult {
	out := &PairResult{}
	own, against := 0, 0
	for i := range pairs {
		switch {
		case pairs[i].Error != "":
			out.Errors++
		case pairs[i].Winner == VariantOwn:
			own++
		case pairs[i].Winner == VariantAgainst:
			against++
		default:
			out.Ties++
		}
	}
	out.Own, out.Against = RateOf(own, own+against), RateOf(against, own+against)
	return out
}

// rowOf sums up the samples of a variant and a case; "" means all cases.
func rowOf(r *Results, title, variant string) Row {
	row := Row{Case: title, Variant: variant}
	var durations []time.Duration
	var scores, judged float64
	passed := 0
	why := map[string]int{}
	var used cases.Used
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Variant != variant || title != "" && s.Case != title {
			continue
		}
		durations = append(durations, s.Duration)
		used = used.Add(s.Used)
		if s.OK {
			passed++
		}
		if s.Error != "" {
			row.Errors++
			why[s.Error]++
		}
		for _, d := range s.Differences {
			why[d.Text]++
		}
		if s.Score != nil {
			scores, judged = scores+*s.Score, judged+1
		}
	}
	row.Usage, row.Calls, row.Cost, row.Unpriced = used.Usage, used.ModelCalls, used.Cost, used.Unpriced
	row.Passed = RateOf(passed, len(durations))
	if judged > 0 {
		mean := scores / judged
		row.Score = &mean
	}
	slices.Sort(durations)
	row.Median, row.Slow = quantile(durations, 0.5), quantile(durations, 0.95)
	row.Why = frequent(why, 3)
	return row
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// frequent returns the most frequent texts.
func frequent(counts map[string]int, most int) []string {
	texts := slices.Collect(maps.Keys(counts))
	slices.SortFunc(texts, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
	return texts[:min(most, len(texts))]
}
