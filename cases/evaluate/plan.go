package evaluate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cases/perform"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/manifest"
)

// Plan is what to perform.
type Plan struct {
	Cases    []*cases.Case
	Repeats  int
	Against  string // the path of a second manifest to compare with; "": none
	Judge    *Judge // judges the cases that have a rubric, and pairs; nil: nobody does
	Parallel int
	Timeout  time.Duration // of a sample
	Options  perform.Options
}

// The variants of an agent.
const (
	VariantOwn     = "own"     // the manifest of the case
	VariantAgainst = "against" // the second manifest
)

// Sample is one performance of a case.
type Sample struct {
	Variant     string             `json:"variant"`
	Case        string             `json:"case"`   // title
	Repeat      int                `json:"repeat"` // from 1
	OK          bool               `json:"ok"`
	Differences []cases.Difference `json:"differences,omitempty"`
	Error       string             `json:"error,omitempty"`  // why the case could not be performed
	Answer      string             `json:"answer,omitempty"` // of the last turn
	Score       *float64           `json:"score,omitempty"`  // the judge's probability that the rubric is fulfilled
	Duration    time.Duration      `json:"duration"`         // nanoseconds
	Used        cases.Used         `json:"used"`             // prices are not known here: see the usage
}

// Pair is a comparison of two samples of a case by the judge.
type Pair struct {
	Case   string `json:"case"`
	Repeat int    `json:"repeat"`
	Winner string `json:"winner"` // VariantOwn, VariantAgainst, or "" if the judge does not prefer the same one in both orders
	Error  string `json:"error,omitempty"`
}

// place identifies a sample in its plan.
type place struct {
	variant, title string
	repeat         int
}

// Digest identifies what is performed, apart from the number of repeats.
func (p *Plan) Digest() (string, error) {
	sum := sha256.New()
	add := func(text string) { fmt.Fprintf(sum, "%d:%s", len(text), text) }
	for _, c := range p.Cases {
		for _, file := range []string{c.Path, c.ManifestPath()} {
			text, err := regularfile.Read(file, manifest.MaxSize)
			if err != nil {
				return "", err
			}
			add(string(text))
		}
		values, err := json.Marshal(c.Turns)
		if err != nil {
			return "", err
		}
		add(c.Title())
		add(string(values))
	}
	if p.Against != "" {
		text, err := regularfile.Read(p.Against, manifest.MaxSize)
		if err != nil {
			return "", err
		}
		add(string(text))
	}
	add(strings.Join(p.Options.Set, "\n"))
	add(p.Judge.name())
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// variants returns the manifests: "" is that of the case.
func (p *Plan) variants() map[string]string {
	out := map[string]string{VariantOwn: ""}
	if p.Against != "" {
		out[VariantAgainst] = p.Against
	}
	return out
}

// Total returns the number of samples.
func (p *Plan) Total() int { return len(p.Cases) * p.Repeats * len(p.variants()) }

// Run performs the samples that the results do not have yet, several at once, and tells each one. After an error of told, or when the
// context ends, it ends the samples that run, which are not told.
func Run(ctx context.Context, p *Plan, known *Results, told func(*Sample, *Pair) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	tell := func(s *Sample, pair *Pair) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		known.add(s, pair)
		if err := told(s, pair); err != nil {
			stop(err)
		}
	}
	type job struct {
		c      *cases.Case
		repeat int
	}
	jobs := make(chan job)
	var workers sync.WaitGroup
	for range max(1, p.Parallel) {
		workers.Go(func() {
			for j := range jobs {
				p.both(ctx, j.c, j.repeat, known, &mu, tell)
			}
		})
	}
	for repeat := 1; repeat <= p.Repeats; repeat++ { // a stopped evaluation has tried each case
		for _, c := range p.Cases {
			select {
			case jobs <- job{c, repeat}:
			case <-ctx.Done():
			}
		}
	}
	close(jobs)
	workers.Wait()
	return context.Cause(ctx)
}

// both performs a repeat of a case with each manifest, and compares the two.
func (p *Plan) both(ctx context.Context, c *cases.Case, repeat int, known *Results, mu *sync.Mutex, tell func(*Sample, *Pair)) {
	for variant, manifest := range p.variants() {
		mu.Lock()
		has := known.has(place{variant, c.Title(), repeat})
		mu.Unlock()
		if has || ctx.Err() != nil {
			continue
		}
		s := p.sample(ctx, c, variant, manifest)
		s.Repeat = repeat
		tell(s, nil)
	}
	if p.Against == "" || p.Judge == nil || ctx.Err() != nil {
		return
	}
	mu.Lock()
	own, against, judged := known.pairOf(c.Title(), repeat)
	mu.Unlock()
	if judged || own == nil || against == nil {
		return
	}
	pair := &Pair{Case: c.Title(), Repeat: repeat}
	winner, err := p.Judge.prefer(ctx, c, own.Answer, against.Answer)
	if err != nil {
		pair.Error = err.Error()
	}
	pair.Winner = winner
	tell(nil, pair)
}

// sample performs a case once.
func (p *Plan) sample(ctx context.Context, c *cases.Case, variant, manifest string) *Sample {
	start := time.Now() //nolint:forbidigo // how long a person waits
	out := &Sample{Variant: variant, Case: c.Title()}
	options := p.Options
	options.Real, options.Manifest = true, manifest
	limited, stop := context.WithTimeoutCause(ctx, p.Timeout, fmt.Errorf("the case took longer than %v", p.Timeout))
	defer stop()
	report, err := perform.Case(limited, c, options)
	out.Duration = time.Since(start) //nolint:forbidigo // see above
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Duration = report.Duration
	var said []abi.Message
	for i := range report.Turns {
		turn := &report.Turns[i]
		out.Differences = append(out.Differences, turn.Differences...)
		out.Used = out.Used.Add(turn.Outcome.Used)
		out.Answer = turn.Outcome.Answer
		said = append(append(said, abi.Human(c.Turns[i].Input)), turn.Outcome.Messages...)
	}
	out.OK = len(out.Differences) == 0
	if p.Judge == nil || c.Rubric == "" {
		return out
	}
	score, err := p.Judge.score(ctx, c, said)
	if err != nil {
		out.OK, out.Error = false, "the judge: "+err.Error()
		return out
	}
	out.Score = &score
	if score < passing {
		out.OK = false
	}
	return out
}

// passing is the probability from which the judge finds that a rubric is fulfilled.
const passing = 0.5
