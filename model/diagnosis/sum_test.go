package diagnosis

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/model"
)

// sumRun is a run of so many steps of 4 groups of 8 answers, whose reward and columns a function makes by the share of the run that is
// over.
func sumRun(steps int, names []string, row func(done float64, r *rand.Rand) (reward float64, parts []float64)) model.Snapshot {
	r := rand.New(rand.NewPCG(uint64(steps), 5))
	chunk := &model.Chunk{
		Files: []string{"x"}, ComponentNames: names, HasTotal: true, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true, BytesAll: 1},
	}
	for step := range steps {
		for i := range 32 {
			reward, parts := row(float64(step)/float64(steps), r)
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(100*step + i/8 + 1), Reward: reward, Components: parts, Advantage: math.NaN(), Length: 20, Offset: int64(1000*step + i),
			})
		}
	}
	s := model.NewStore()
	s.Append(chunk)
	return s.Snapshot()
}

func seen(t *testing.T, snap model.Snapshot) *Diagnosis {
	t.Helper()
	look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return look.Diagnosis
}

func (d *Diagnosis) of(k Kind) *Finding {
	for i := range d.Findings {
		if d.Findings[i].Kind == k {
			return &d.Findings[i]
		}
	}
	return nil
}

// A reward is shown as the weighted sum of its columns, and a part that counts with the wrong sign is named, but not a penalty.
func TestSumOfParts(t *testing.T) {
	parts := func(r *rand.Rand) (a, b float64) { return r.Float64(), r.Float64() }
	for name, c := range map[string]struct {
		names    []string
		row      func(done float64, r *rand.Rand) (float64, []float64)
		sum      string // "" if nothing is said
		severity Severity
	}{
		"right": {[]string{"traj_reward", "reasoning_reward"}, func(_ float64, r *rand.Rand) (float64, []float64) {
			a, b := parts(r)
			return 0.5*a + 1.5*b, []float64{a, b}
		}, "reward = 1.5·reasoning_reward + 0.5·traj_reward within groups, exactly", ""},
		"wrong sign": {[]string{"traj_reward", "reasoning_reward"}, func(_ float64, r *rand.Rand) (float64, []float64) {
			a, b := parts(r)
			return 0.5*a - 1.5*b, []float64{a, b}
		}, "reward = −1.5·reasoning_reward + 0.5·traj_reward within groups, exactly", Watch},
		"wrong sign, and it falls": {[]string{"traj_reward", "reasoning_reward"}, func(done float64, r *rand.Rand) (float64, []float64) {
			a, b := parts(r)
			b -= done
			return 0.5*a - 1.5*b, []float64{a, b}
		}, "reward = −1.5·reasoning_reward + 0.5·traj_reward within groups, exactly", Alarm},
		"penalty": {[]string{"acc_reward", "length_penalty"}, func(_ float64, r *rand.Rand) (float64, []float64) {
			a, b := parts(r)
			return a - 0.5*b, []float64{a, b}
		}, "reward = acc_reward − 0.5·length_penalty within groups, exactly", ""},
		"without weight": {[]string{"acc_reward", "format_reward"}, func(_ float64, r *rand.Rand) (float64, []float64) {
			a, b := parts(r)
			return 2 * a, []float64{a, b}
		}, "reward = 2·acc_reward within groups, exactly; format_reward without weight", ""},
		"more than the log holds": {[]string{"acc_reward", "format_reward"}, func(_ float64, r *rand.Rand) (float64, []float64) {
			a, b := parts(r)
			return a + b + r.Float64(), []float64{a, b}
		}, "+ what no column holds: these explain 6", ""}, // two of three equal variances
		"nothing": {[]string{"other", "another"}, func(_ float64, r *rand.Rand) (float64, []float64) {
			a, b := parts(r)
			return r.Float64(), []float64{a, b}
		}, "", ""},
		"one for each prompt": {[]string{"acc_reward", "level"}, func(_ float64, r *rand.Rand) (float64, []float64) {
			a := r.Float64()
			return a, []float64{a, 3}
		}, "reward = acc_reward within groups, exactly", ""},
	} {
		d := seen(t, sumRun(30, c.names, c.row))
		text := ""
		if d.Sum != nil {
			text = d.Sum.String()
		}
		if !strings.Contains(text, c.sum) || c.sum == "" && text != "" {
			t.Errorf("%s: %q, want %q", name, text, c.sum)
		}
		f := d.of(PartAgainst)
		switch {
		case c.severity == "" && f != nil:
			t.Errorf("%s: %s", name, f.Title)
		case c.severity != "" && (f == nil || f.Severity != c.severity || !strings.Contains(f.Title, "reasoning_reward")):
			t.Errorf("%s: %+v, want %s", name, f, c.severity)
		}
	}
}

// Where all of the gain is form the part that gains nothing is named, and not where it gains, is nearly full, or the run is short.
func TestGainOfFormAlone(t *testing.T) {
	for name, c := range map[string]struct {
		steps                  int
		correct, format, atEnd float64 // the share of right answers at the start, of the right form at the end, of right answers at the end
		want                   bool
	}{
		"form":        {150, 0.15, 0.9, 0.15, true},
		"both":        {150, 0.15, 0.9, 0.6, false},
		"nearly full": {150, 0.95, 0.9, 0.95, false},
		"short":       {40, 0.15, 0.9, 0.15, false},
		"never right": {150, 0, 0.9, 0, true},
		"all right":   {150, 1, 0.9, 1, false},
	} {
		d := seen(t, sumRun(c.steps, []string{"accuracy_reward", "format_reward"}, func(done float64, r *rand.Rand) (float64, []float64) {
			a, f := float64(model.Count01(r.Float64() < c.correct+(c.atEnd-c.correct)*done)), float64(model.Count01(r.Float64() < 0.1+(c.format-0.1)*done))
			return a + f, []float64{a, f}
		}))
		f := d.of(NotLearning)
		if (f != nil) != c.want {
			t.Errorf("%s: %+v", name, f)
		} else if c.want && (f.Severity != Watch || !strings.Contains(f.Title, "all of the gain is format_reward") || !strings.Contains(f.Title, "accuracy_reward gains nothing")) {
			t.Errorf("%s: %s", name, f.Title)
		}
	}
}

// A penalty that nobody pays any more is full, and no outage; one that stops at what it cost is an outage. A column that alone is the reward
// may change its unit with it.
func TestColumnThatIsPlanned(t *testing.T) {
	penalty := func(done, at float64) float64 {
		if done < 0.6 {
			return -1 + done/0.6
		}
		return at
	}
	for name, c := range map[string]struct {
		row  func(done float64, r *rand.Rand) (float64, []float64)
		kind Kind
		want Severity
	}{
		"a penalty of nothing": {func(done float64, r *rand.Rand) (float64, []float64) {
			p, a := min(0, penalty(done, 0)-0.1*r.Float64()*penalty(done, 0)), float64(r.IntN(2))
			return a + p, []float64{a, p}
		}, GraderOutage, ""},
		"a penalty that stops": {func(done float64, r *rand.Rand) (float64, []float64) {
			p, a := penalty(done, -0.7), float64(r.IntN(2))
			if done < 0.6 {
				p -= 0.1 * r.Float64()
			}
			return a + p, []float64{a, p}
		}, GraderOutage, Alarm},
		"another unit": {func(done float64, r *rand.Rand) (float64, []float64) {
			a := float64(r.IntN(2))
			if done >= 0.5 {
				a /= 10
			}
			return a, []float64{a}
		}, RewardCollapse, Watch},
		"fewer right": {func(done float64, r *rand.Rand) (float64, []float64) {
			a := float64(r.IntN(2))
			if done >= 0.5 && r.Float64() < 0.9 {
				a = 0
			}
			return a, []float64{a}
		}, RewardCollapse, Alarm},
	} {
		names := []string{"score_reward", "length_penalty"}
		if c.kind == RewardCollapse {
			names = names[:1]
		}
		got, d := Severity(""), seen(t, sumRun(60, names, c.row))
		if f := d.of(c.kind); f != nil {
			got = f.Severity
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q: %v", name, got, c.want, d.Findings)
		}
	}
}

// What no column holds is a part as others are: where it drives the reward up while a logged part falls, or holds all of the gain, it is named;
// not where it stays, or where weights change and nothing is left.
func TestWhatNoColumnHolds(t *testing.T) {
	coin := func(r *rand.Rand, share float64) float64 { return float64(model.Count01(r.Float64() < share)) }
	for name, c := range map[string]struct {
		accuracy, hidden func(done float64) float64 // shares
		kind             Kind
		title            string
	}{
		"it rises, a part falls":  {func(done float64) float64 { return 0.7 - 0.5*done }, func(done float64) float64 { return 0.1 + 0.8*done }, RewardHacking, restName + " rises from"},
		"it alone gains":          {func(float64) float64 { return 0.3 }, func(done float64) float64 { return 0.1 + 0.8*done }, NotLearning, "all of the gain is " + restName},
		"it falls, the form wins": {func(done float64) float64 { return 0.1 + 0.8*done }, func(done float64) float64 { return 0.7 - 0.5*done }, RewardHacking, "while " + restName + " falls"},
		"it stays":                {func(done float64) float64 { return 0.3 + 0.4*done }, func(float64) float64 { return 0.5 }, "", ""},
		"both gain":               {func(done float64) float64 { return 0.3 + 0.4*done }, func(done float64) float64 { return 0.3 + 0.4*done }, "", ""},
	} {
		column := "accuracy_reward"
		if strings.Contains(name, "form") {
			column = "format_reward"
		}
		d := seen(t, sumRun(120, []string{column, "tool_reward"}, func(done float64, r *rand.Rand) (float64, []float64) {
			a, tool, hidden := coin(r, c.accuracy(done)), coin(r, 0.5), coin(r, c.hidden(done))
			return a + 0.5*tool + 0.7*hidden, []float64{a, tool}
		}))
		if d.Sum == nil || d.Sum.Rest == nil || !strings.Contains(d.Sum.String(), restName) {
			t.Errorf("%s: the sum is %v", name, d.Sum)
		}
		f := d.of(c.kind)
		switch {
		case c.kind == "" && len(d.Findings) > 0:
			t.Errorf("%s: %v", name, d.Findings)
		case c.kind != "" && (f == nil || !strings.Contains(f.Title, c.title)):
			t.Errorf("%s: %v, of all %v", name, f, d.Findings)
		}
	}
	d := seen(t, sumRun(120, []string{"accuracy"}, func(done float64, r *rand.Rand) (float64, []float64) {
		a := coin(r, 0.7-0.5*done)
		return 0.1*a + coin(r, 0.1+0.8*done), []float64{a}
	}))
	if f := d.of(RewardHacking); d.Sum != nil || f == nil || !strings.Contains(f.Title, "reward rises") || !strings.Contains(f.Title, "while accuracy falls") {
		t.Errorf("nearly all is what no column holds: %v, %v", d.Sum, f)
	}
	d = seen(t, sumRun(120, []string{"accuracy_reward", "format_reward"}, func(done float64, r *rand.Rand) (float64, []float64) {
		a, f := coin(r, 0.5), coin(r, 0.5)
		if done < 0.5 {
			return a + f, []float64{a, f}
		}
		return 2*a + f, []float64{a, f}
	}))
	if d.Sum != nil && d.Sum.Rest != nil {
		t.Errorf("weights change: %v", d.Sum)
	}
}
