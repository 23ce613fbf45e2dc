package model

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A store holds the same after a block as after its records.
func TestBlockEqualsItsRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inBlocks, inRecords := NewStore(), NewStore()
		for range rapid.IntRange(1, 6).Draw(t, "chunks") {
			b := drawBlock(t)
			chunk := Chunk{Files: []string{"a", "b"}, ComponentNames: []string{"x", "y"}[:len(b.Components)]}
			if rapid.IntRange(0, 3).Draw(t, "forget") == 0 {
				chunk.Forget = []int32{0}
			}
			other := chunk
			chunk.Records = b.Records()
			other.Blocks = []Block{b}
			if rapid.Bool().Draw(t, "as records") {
				other = chunk
			}
			inBlocks.Append(&other)
			inRecords.Append(&chunk)
		}
		got, want := inBlocks.Snapshot(), inRecords.Snapshot()
		if diff := cmp.Diff(plainSteps(want), plainSteps(got), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("-records +blocks\n%s", diff)
		}
	})
}

// drawBlock is a block with some columns left out.
func drawBlock(t *rapid.T) Block {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	b := Block{File: int32(rapid.IntRange(0, 1).Draw(t, "file")), Prompts: []Prompt{{7, "seven"}, {8, "eight"}}, Groups: []string{"g", "h"}}
	step, offset := int64(0), int64(0)
	for i := range n {
		step += int64(rapid.IntRange(0, 1).Draw(t, "step"))
		offset += rapid.SampledFrom([]int64{1, 100, 5 << 30}).Draw(t, "offset")
		b.Step, b.Offset = append(b.Step, step), append(b.Offset, offset)
		b.Reward, b.Length = append(b.Reward, float64(i)), append(b.Length, int32(i))
	}
	numbers := func(name string) []int32 {
		if rapid.Bool().Draw(t, "no "+name) {
			return nil
		}
		return rapid.SliceOfN(rapid.Int32Range(0, 1), n, n).Draw(t, name)
	}
	b.Prompt, b.Group = numbers("prompt"), numbers("group")
	for range rapid.SampledFrom([]int{0, n}).Draw(t, "rollouts") {
		b.Rollout = append(b.Rollout, Rollout{rapid.Int32Range(0, 1).Draw(t, "rollout"), rapid.Int32Range(0, 2).Draw(t, "output")})
	}
	column := func(name string) []float64 {
		return rapid.SliceOfN(rapid.SampledFrom([]float64{math.NaN(), 1, -2}), n, n).Draw(t, name)
	}
	if rapid.Bool().Draw(t, "advantages") {
		b.Advantage = column("advantage")
	}
	for k := range rapid.IntRange(0, 2).Draw(t, "components") {
		b.Components = append(b.Components, column(fmt.Sprint("component ", k)))
	}
	return b
}

// plainStep is a step without optional columns and with names instead of numbers.
type plainStep struct {
	Number          int64
	Rewards, Logged []float64
	Lengths         []int32
	Components      [][]float64
	FirstOutputs    []int32
	Prompts, Groups []string
	Places          []Place
}

func plainSteps(s Snapshot) []plainStep {
	var all []plainStep
	for _, step := range s.Steps {
		p := plainStep{Number: step.Number, Rewards: step.Rewards, Lengths: step.Lengths, FirstOutputs: step.FirstOutputs}
		for i := range step.Rewards {
			logged := math.NaN()
			if step.LoggedAdvantages != nil {
				logged = step.LoggedAdvantages[i]
			}
			p.Logged = append(p.Logged, logged)
			group := ""
			if k := numberAt(step.groups, i); k > 0 {
				group = s.groupNames.at(int(k) - 1)
			}
			p.Prompts, p.Groups = append(p.Prompts, s.Preview(&step, i)), append(p.Groups, group)
			p.Places = append(p.Places, step.Place(i))
		}
		for k := range s.Run.ComponentNames {
			values := make([]float64, len(step.Rewards))
			for i := range values {
				values[i] = math.NaN()
				if k < len(step.Components) && step.Components[k] != nil {
					values[i] = step.Components[k][i]
				}
			}
			p.Components = append(p.Components, values)
		}
		all = append(all, p)
	}
	return all
}

func TestLinkText(t *testing.T) {
	for want, l := range map[string]Link{
		"":                                 {},
		"node7":                            {Host: "node7"},
		"node7 · 12 ms":                    {Host: "node7", Latency: 12 * time.Millisecond},
		"node7 · connecting":               {Host: "node7", State: LinkConnecting},
		"node7 · 12 ms · reconnecting 4 s": {Host: "node7", Latency: 12 * time.Millisecond, State: LinkLost, Retry: 4 * time.Second},
		"node7 · 12 ms · reconnecting":     {Host: "node7", Latency: 12 * time.Millisecond, State: LinkLost},
	} {
		if got := l.String(); got != want {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
}

// A latency that varies a little is no change; another state, wait or reason is.
func TestLinkChanged(t *testing.T) {
	at := func(d time.Duration) Link { return Link{Host: "node7", Latency: d} }
	lost := Link{Host: "node7", State: LinkLost, Retry: time.Second, Reason: "refused"}
	later := lost
	later.Retry = 2 * time.Second
	for _, c := range []struct {
		from, to Link
		want     bool
	}{
		{Link{}, Link{}, false},
		{Link{}, at(0), true},
		{at(0), at(time.Microsecond), true},
		{at(12 * time.Millisecond), at(23 * time.Millisecond), false},
		{at(12 * time.Millisecond), at(25 * time.Millisecond), true},
		{at(30 * time.Millisecond), at(12 * time.Millisecond), true},
		{at(50 * time.Microsecond), at(time.Millisecond), false},
		{at(0), lost, true},
		{lost, lost, false},
		{lost, later, true},
	} {
		if got := c.to.Changed(c.from); got != c.want {
			t.Errorf("from %+v to %+v: %v", c.from, c.to, got)
		}
	}
}

// The words on freshness by how long nothing was written and by the time between steps, and how long
// they stay true.
func TestFreshnessText(t *testing.T) {
	written := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		stepTime, quiet time.Duration
		want            string
	}{
		{0, 0, "live for 5m0s"},
		{0, 14*time.Minute + 20*time.Second, "idle 14 min for 40s"},
		{0, 59*time.Minute + 59*time.Second, "idle 59 min for 1s"},
		{0, 23*time.Hour + 30*time.Minute, "idle 23 h for 30m0s"},
		{0, 24 * time.Hour, "ended"},
		{0, -time.Minute, "live for 6m0s"}, // the file's clock is ahead
		{time.Second, 119 * time.Second, "live for 1s"},
		{time.Second, 2 * time.Minute, "idle 2 min for 1m0s"},
		{time.Second, time.Hour, "ended"},
		{10 * time.Minute, 19 * time.Minute, "live for 1m0s"},
		{10 * time.Minute, 3*time.Hour + 15*time.Minute, "idle 3 h for 5m0s"}, // until it has ended
		{10 * time.Minute, 200 * time.Minute, "ended"},
		{100 * time.Hour, 11 * time.Hour, "live for 1h0m0s"},
		{100 * time.Hour, 24 * time.Hour, "ended"},
		{1 << 62, 24 * time.Hour, "ended"},
	} {
		p := Progress{LastWrite: written, StepTime: c.stepTime}
		now := written.Add(c.quiet)
		got, until := p.FreshnessText(now)
		if !until.IsZero() {
			got += fmt.Sprint(" for ", until.Sub(now))
		}
		if got != c.want {
			t.Errorf("steps each %v, nothing for %v: %q, want %q", c.stepTime, c.quiet, got, c.want)
		}
	}
	if got, until := (Progress{}).FreshnessText(written); got != "live" || !until.IsZero() {
		t.Errorf("without a time: %q until %v", got, until)
	}
}

func TestFreshnessRule(t *testing.T) {
	for stepTime, want := range map[time.Duration]string{
		0:               "idle after 5 min without a write, ended after 24 h (time between steps unknown)",
		3 * time.Minute: "idle after 6 min without a write, ended after 60 min (usually 3 min between steps)",
	} {
		if got := (Progress{StepTime: stepTime}).FreshnessRule(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A row's own time, in the formats in which trainers write it; a log copied long after its rows were made is not fresh.
func TestTimeOf(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	want := time.Date(2026, 5, 15, 14, 28, 29, 0, time.UTC)
	for _, text := range []string{"2026-05-15T14:28:29.186765+00:00", "2026-05-15T16:28:29+02:00", "2026-05-15 14:28:29", "1778855309", "1778855309123", "1778855309.5"} {
		got := TimeOf(Text{Fields: []Field{{"step", "1"}, {"created_at", text}}}, now)
		if !got.Truncate(time.Second).Equal(want) {
			t.Errorf("%s: %s", text, got)
		}
		p := Progress{LastWrite: now, RowTime: got}
		if p.Freshness(now) != Ended || !p.Copied() {
			t.Errorf("%s: %v", text, p.Freshness(now))
		}
	}
	for _, text := range []string{"", "soon", "12", "2099-01-01T00:00:00Z", "-5"} {
		if got := TimeOf(Text{Fields: []Field{{"timestamp", text}}}, now); !got.IsZero() {
			t.Errorf("%q: %s", text, got)
		}
	}
}
