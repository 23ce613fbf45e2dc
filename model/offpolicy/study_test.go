package offpolicy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	rules "vantage/estimators/offpolicy"
	"vantage/model"
)

// logged is a row whose sampler's log-probs are −1 and whose differences are d.
func logged(step int, group string, advantage float64, d ...float32) Sample {
	r := make([]float32, len(d))
	o := make([]float32, len(d))
	for i := range d {
		r[i], o[i] = -1, -1+d[i]
	}
	return Sample{Step: step, Group: group, Row: rules.Row{Sampler: r, Trainer: o, Advantage: advantage}}
}

func studyOf(t *testing.T, asked Asked, samples ...Sample) *Study {
	t.Helper()
	s := New(asked, false)
	for _, x := range samples {
		s.Add(x)
	}
	s.Finish()
	return s
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Two steps: weights e^ln 3 and 1 in step 1, so (3 + 1)² / (2 · (9 + 1)) = 0.8 and the heaviest has 3/4; one row in step 2.
func TestStudyCountsStepsLagsAndSigns(t *testing.T) {
	ln3 := float32(math.Log(3))
	stale := logged(2, "b", -1, -0.5)
	two := 2
	stale.VersionLag = &two
	apart := logged(2, "b", 0, 0.25)
	apart.Trainer = nil
	s := studyOf(t, Asked{}, logged(1, "a", 1, ln3/2, ln3/2), logged(1, "a", -1, 0.5, -0.5), stale, apart)
	course := s.Course(12)
	if len(course) != 2 || course[0].First != 1 || course[1].First != 2 {
		t.Fatalf("the course is %v", course)
	}
	near(t, "mean |d| of step 1", course[0].MeanAbs(), (math.Log(3)+1)/4)
	near(t, "ESS of step 1", course[0].EffectiveShare(), 0.8)
	near(t, "top share of step 1", course[0].Top, 0.75)
	near(t, "lag of step 1", course[0].Lag(), math.NaN())
	near(t, "lag of step 2", course[1].Lag(), 2)
	near(t, "k3 of step 2", course[1].K3(), math.Exp(-0.5)-1+0.5)
	near(t, "effective rows", s.Total.Effective, 2*0.8+1)
	near(t, "largest |d|", s.Total.MaxAbs(), math.Log(3)/2)
	if course[1].Rows != 2 || course[1].Compared != 1 || course[1].Unscored != 1 || len(s.Lags) != 1 || s.Lags[0].Versions != 2 {
		t.Errorf("step 2 is %+v, the lags are %+v", course[1].Tally, s.Lags)
	}
	near(t, "mean |d| where A < 0", s.Signs[0].MeanAbs(), 1.5/3)
	near(t, "mean |d| where A > 0", s.Signs[2].MeanAbs(), math.Log(3)/2)
	if s.Tenths[3].Tokens != 5 { // e⁻¹ = 0.37
		t.Errorf("tokens by probability are %v", s.Tenths)
	}
	if one := s.Course(1); len(one) != 1 || one[0].First != 1 || one[0].Last != 2 || one[0].Rows != 4 || one[0].Top != 1 {
		t.Errorf("one range is %+v", one)
	}
}

// Thirty steps are shown as ranges of three.
func TestCourseMergesSteps(t *testing.T) {
	var all []Sample
	for step := range 30 {
		all = append(all, logged(step, "", 1, 0.1))
	}
	course := studyOf(t, Asked{}, all...).Course(12)
	if len(course) != 10 || course[0].Last != 2 || course[9].First != 27 || course[9].Rows != 3 {
		t.Errorf("%d ranges: %+v", len(course), course)
	}
}

func asked(t *testing.T, framework, name string) Asked {
	t.Helper()
	r, err := rules.Find(framework, name)
	if err != nil {
		t.Fatal(err)
	}
	values, err := r.Values("")
	if err != nil {
		t.Fatal(err)
	}
	return Asked{Rule: r, Values: values, By: "asked for"}
}

// Ratios 4, 1 and 1/4 capped at 2 leave a row that weighs 2 · 1 · 1/4 = 1/2, next to one of 1: (3/2)² / (2 · 5/4) = 0.9.
func TestTrialOfACap(t *testing.T) {
	ln4 := float32(math.Log(4))
	s := studyOf(t, asked(t, "slime", "tis"), logged(1, "a", 1, ln4, 0, -ln4), logged(1, "a", -1, 0))
	if s.Own.Clipped != 1 || s.Own.TokensKept != 4 || s.Own.RowsKept != 2 || s.Own.Groups != 1 || s.Own.Emptied != 0 {
		t.Errorf("%+v", s.Own)
	}
	near(t, "ESS", s.Own.Effective(), 0.9)
	near(t, "clipped rows", s.Own.bent, 1.0/3)
}

// The product e² of the first row is above 3: the row and its group fall, with |A| = 2 of 2 positive and none of 1 negative.
func TestTrialOfASequenceMask(t *testing.T) {
	s := studyOf(t, asked(t, "trl", "vllm_importance_sampling"), logged(1, "a", 2, 1, 1), logged(1, "b", -1, 0), logged(1, "b", -1, 0))
	if s.Own.TokensKept != 2 || s.Own.RowsKept != 2 || s.Own.Groups != 2 || s.Own.Emptied != 1 {
		t.Errorf("%+v", s.Own)
	}
	near(t, "Σ|A| kept", s.Own.Mass().Share(), 0.5)
	near(t, "positive kept", s.Own.Positive.Share(), 0)
	near(t, "negative kept", s.Own.Negative.Share(), 1)
	near(t, "ESS", s.Own.Effective(), 2.0/3)
}

// A rule without what it needs says so, and is not the answer.
func TestTrialWithout(t *testing.T) {
	s := studyOf(t, asked(t, "prime-rl", "default"), logged(1, "a", math.NaN(), 0.1))
	if got := s.Own.Reason(); got != "the log has no advantages" {
		t.Errorf("reason %q", got)
	}
	s = studyOf(t, asked(t, "prime-rl", "max_off_policy_steps"), logged(1, "a", 1, 0.1))
	if got := s.Own.Reason(); got != "the log has no versions of the policies that sampled the rows" {
		t.Errorf("reason %q", got)
	}
	s = studyOf(t, asked(t, "slime", "tis"), Sample{Row: rules.Row{Sampler: []float32{-1}, Advantage: 1}})
	if got := s.Own.Reason(); got != "the log has no log-probs of the trainer before the update" {
		t.Errorf("reason %q", got)
	}
}

// The tokens of steps that are over are not kept, nor those of a step without end.
func TestStudyKeepsNoTokens(t *testing.T) {
	s := New(asked(t, "slime", "tis"), false)
	s.Trials = nil
	row := logged(1, "", 1, make([]float32, 100_000)...)
	for i := range 100 {
		row.Step = 1 + i/90
		s.Add(row)
		if kept := len(s.whole.Rows) * 100_000; kept > maxBatch+100_000 {
			t.Fatalf("%d tokens are kept", kept)
		}
	}
	s.Finish()
	if s.Own.Tokens != 100*100_000 || s.whole.Rows != nil {
		t.Errorf("%d tokens were judged, %d rows are kept", s.Own.Tokens, len(s.whole.Rows))
	}
}

func TestAnswer(t *testing.T) {
	healthy := func(step int) (all []Sample) {
		for i := range 8 {
			d := float32(i%3-1) / 100
			all = append(all, logged(step, fmt.Sprint(i/4), float64(i%2)*2-1, d, -d, d))
		}
		return all
	}
	long := logged(1, "0", 1, make([]float32, 120)...)
	for i := range long.Trainer {
		long.Trainer[i] += 0.075 // Σd = 9: e⁹ = 8,100 next to rows of about 1
	}
	for name, c := range map[string]struct {
		samples []Sample
		want    string
		rule    string
	}{
		"nothing wrong":        {healthy(1), "none needed", ""},
		"one row dominates":    {append(healthy(1), long), "bound", "trl/vllm_importance_sampling"},
		"one side only":        {[]Sample{{Row: rules.Row{Sampler: []float32{-1}}}}, "cannot tell", ""},
		"one side twice":       {[]Sample{logged(1, "", 1, 0, 0)}, "cannot tell", ""},
		"nothing":              {nil, "cannot tell", ""},
		"one token is far off": {[]Sample{logged(1, "", 1, 3), logged(1, "", 1, 3)}, "no bound helps", ""},
	} {
		got := studyOf(t, Asked{}, c.samples...).Answer()
		if got.Verdict != c.want || (got.Trial == nil) != (c.rule == "") || got.Trial != nil && got.Trial.Name() != c.rule {
			t.Errorf("%s: %s, %s", name, got.Verdict, got.Text)
		}
	}
}

// Of rules after which as many rows count that of the run's own trainer is named. If the best is another's, so is the best of its own, or
// that none helps.
func TestAnswerOfTheRunsTrainer(t *testing.T) {
	for writer, want := range map[string]struct{ rule, more string }{
		"miles": {"", " No rule of miles that was tried helps."}, "unsloth": {"unsloth", ""}, "trl": {"trl", ""}, "tinker": {}, "": {},
	} {
		var all []Sample
		for i := range 9 {
			x := logged(1, "0", 1, 0.01, -0.01)
			if i == 0 {
				x = logged(1, "0", 1, make([]float32, 120)...)
				for k := range x.Trainer {
					x.Trainer[k] += 0.075
				}
			}
			x.Writer = writer
			all = append(all, x)
		}
		a := studyOf(t, Asked{}, all...).Answer()
		if a.Verdict != "bound" || !strings.HasPrefix(a.Text, want.rule) || !strings.HasSuffix(a.Text, "of tokens."+want.more) {
			t.Errorf("%s: %s", writer, a.Text)
		}
	}
}

func TestInForce(t *testing.T) {
	of := func(writer string) InForce {
		x := logged(1, "", 1, 0.1)
		x.Writer = writer
		return studyOf(t, Asked{}, x).InForce()
	}
	if f := of("prime-rl"); f.Trial == nil || f.Trial.Name() != "prime-rl/default" {
		t.Errorf("prime-rl: %+v", f)
	}
	if f := of("nemo-rl"); f.Trial != nil || f.By != "none: NeMo-RL applies no rule unless it is told to; name yours with --off-policy or --config" {
		t.Errorf("nemo-rl: %+v", f)
	}
	if f := of("tinker"); f.Trial != nil || f.By != "no rule known: what tinker-cookbook applies is in no log" {
		t.Errorf("tinker: %+v", f)
	}
	if f := of(""); f.Trial != nil {
		t.Errorf("unknown: %+v", f)
	}
}

// rowOf is a row of n tokens whose differences are normal, with a spread by which mean |d| is about abs.
func rowOf(random *rand.Rand, step, lag int, abs float64) Sample {
	d := make([]float32, 20+random.IntN(200))
	for i := range d {
		d[i] = float32(random.NormFloat64() * abs * math.Sqrt(math.Pi/2))
	}
	x := logged(step, "", float64(random.IntN(2))*2-1, d...)
	if lag >= 0 {
		x.Versions, x.VersionLag = &rules.Versions{First: step - 1 - lag, Last: step - 1 - lag}, &lag
	}
	return x
}

// Worlds of engine and staleness, each of rows whose levels differ by a fifth: the cause is right in at least 95 of 100, and no healthy
// one has any.
func TestCauseOfPlantedWorlds(t *testing.T) {
	for _, world := range []struct {
		abs, growth float64
		want        Verdict
		least       int
	}{{0.01, 0, Neither, 100}, {0.03, 0.0005, Neither, 100}, {0.09, 0, Engine, 95}, {0.01, 0.03, Stale, 95}, {0.09, 0.04, Both, 95}} {
		right := 0
		for seed := range 100 {
			random := rand.New(rand.NewPCG(uint64(seed), 53))
			s := New(Asked{}, false)
			s.Trials = nil
			for step := 1; step <= 12; step++ {
				for range 16 {
					lag := random.IntN(min(step, 4))
					s.Add(rowOf(random, step, lag, (world.abs+world.growth*float64(lag))*(0.8+0.4*random.Float64())))
				}
			}
			s.Finish()
			if c := s.Cause(); c.Verdict == world.want && c.ByLag {
				right++
			}
		}
		if right < world.least {
			t.Errorf("mean |d| %v growing by %v: %d of 100 are %s", world.abs, world.growth, right, world.want)
		}
	}
}

// Lags 0 and 1 with means 0.1 and 0.3, of two rows ±0.02 each, five times: the slope is 0.2, and 1 − 0.1/0.2 is staleness.
func TestCauseByHand(t *testing.T) {
	var lags []place
	for lag, mean := range []float64{0.1, 0.3} {
		p := place{at: lag}
		for range 5 {
			p.add(7, mean-0.02)
			p.add(7, mean+0.02)
		}
		lags = append(lags, p)
	}
	c := causeByLag(lags, nil, false)
	near(t, "engine", c.Engine.Value, 0.1)
	near(t, "slope", c.Staleness.Value, 0.2)
	near(t, "share", c.Share, 0.5)
	// Squares 10 · 0.0004 around each mean: the error at lag 0 is √(0.004/9/10) = 0.006667, by t(9) = 2.262; the slope has
	// √(2 · 0.25 · 0.004 / 25 · 20/18) = 0.009428, by t(18) = 2.101.
	if math.Abs(c.Engine.High-0.1-2.262*0.006667) > 2e-5 || math.Abs(c.Staleness.High-0.2-2.101*0.009428) > 2e-5 {
		t.Errorf("intervals %+v and %+v", c.Engine, c.Staleness)
	}
	if c.Verdict != Both {
		t.Errorf("verdict %s", c.Verdict)
	}
}

// The mean |d| at lag 0 is that of tokens, as in every table: 100 tokens of 0.02 and 300 of 0.1 have 0.08, and their two rows 0.06. Four
// times the two rows are off by 100 · 0.06 and 300 · 0.02, so that the error is √(4 · 72) / 1600 · √(8/7), by t(7) = 2.365.
func TestCauseIsOfTokens(t *testing.T) {
	var all []Sample
	row := func(step, tokens int, d float32) {
		far := make([]float32, tokens)
		for i := range far {
			far[i] = d * float32(1-2*(i%2))
		}
		all = append(all, logged(step, "", 1, far...))
	}
	for range 4 {
		row(1, 100, 0.02)
		row(1, 300, 0.1)
	}
	s := studyOf(t, Asked{}, all...)
	c := s.Cause()
	if math.Abs(c.Engine.Value-0.08) > 1e-6 || math.Abs(c.Engine.Value-s.Steps()[0].MeanAbs()) > 1e-9 {
		t.Errorf("mean |d| is %v at step 1, %v of all tokens, want 0.08 both", c.Engine.Value, s.Steps()[0].MeanAbs())
	}
	if want := 2.365 * math.Sqrt(4*72) / 1600 * math.Sqrt(8./7); math.Abs(c.Engine.High-0.08-want) > 1e-4 {
		t.Errorf("interval %+v, want ±%v", c.Engine, want)
	}
}

// One long answer that is far off, among short ones that are near: whether the engine differs cannot be told. Among twelve it can.
func TestCauseOfOneLongAnswer(t *testing.T) {
	for long, want := range map[int]Verdict{0: Neither, 1: Unknown, 12: Engine} {
		random := rand.New(rand.NewPCG(3, 53))
		var all []Sample
		for i := range long + 7 {
			x := rowOf(random, 1, -1, 0.01)
			if i < long {
				x = logged(1, "", 1, make([]float32, 2000)...)
				for k := range x.Trainer {
					x.Trainer[k] += 0.08
				}
			}
			all = append(all, x)
		}
		if c := studyOf(t, Asked{}, all...).Cause(); c.Verdict != want {
			t.Errorf("%d long answers: %s, %s", long, c.Verdict, c.Why)
		}
	}
}

// An engine that drifts with the steps, where rows of later steps are the older ones, is no staleness, whatever the learning rate; of equal
// logs that grow by version it is. At a learning rate of 0 no growth is staleness, and a mismatch that grows is the engine's.
func TestDriftIsNoStaleness(t *testing.T) {
	for name, c := range map[string]struct {
		byStep, byLag float64
		still         bool
		want          Verdict
	}{
		"drift":                           {0.008, 0, false, Engine},
		"drift at a learning rate of 0":   {0.008, 0, true, Engine},
		"little drift":                    {0.003, 0, true, Engine},
		"drift and staleness":             {0.008, 0.03, false, Both},
		"staleness":                       {0, 0.03, false, Stale},
		"growth by lag without learning":  {0, 0.03, true, Engine},
		"healthy":                         {0, 0, false, Neither},
		"healthy at a learning rate of 0": {0, 0, true, Neither},
	} {
		right := 0
		for seed := range 6 {
			random := rand.New(rand.NewPCG(uint64(seed), 54))
			s := New(Asked{Still: c.still}, false)
			s.Trials = nil
			for step := 1; step <= 16; step++ {
				for i := range 16 {
					lag := min((i*7+step)%4, step-1)
					abs := 0.01 + c.byStep*float64(step) + c.byLag*float64(lag)
					s.Add(rowOf(random, step, lag, abs*(0.8+0.4*random.Float64())))
				}
			}
			s.Finish()
			right += model.Count01(s.Cause().Verdict == c.want)
		}
		if right < 6 {
			t.Errorf("%s: %d of 6 are %s", name, right, c.want)
		}
	}
}

func TestCauseWithoutLags(t *testing.T) {
	course := func(first, lag int, abs func(step int) float64) Verdict {
		random := rand.New(rand.NewPCG(1, 53))
		s := New(Asked{}, false)
		s.Trials = nil
		for step := first; step < first+10; step++ {
			for range 16 {
				s.Add(rowOf(random, step, lag, abs(step)))
			}
		}
		s.Finish()
		return s.Cause().Verdict
	}
	flat := func(int) float64 { return 0.08 }
	rising := func(step int) float64 { return 0.01 * float64(step) }
	for name, c := range map[string]struct{ got, want Verdict }{
		"flat from the first step":  {course(1, -1, flat), Engine},
		"flat, later steps alone":   {course(7, -1, flat), Unknown},
		"one lag, later steps":      {course(7, 0, flat), Unknown},
		"rising from a normal step": {course(1, -1, rising), Unknown},
		"normal":                    {course(0, -1, func(int) float64 { return 0.01 }), Neither},
		"all 0":                     {course(1, -1, func(int) float64 { return 0 }), Unknown},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
}

// A version that is the same from step 3 on, while the lag grows with the step, is named; versions that keep pace are not.
func TestVersionThatStays(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 53))
	for _, stuck := range []bool{true, false} {
		s := New(Asked{}, false)
		s.Trials = nil
		for step := 1; step <= 8; step++ {
			for i := range 12 {
				lag := i % 3
				if stuck {
					lag = max(0, step-3)
				}
				s.Add(rowOf(random, step, lag, 0.01+0.05*float64(lag)))
			}
		}
		s.Finish()
		c := s.Cause()
		if named := strings.Contains(c.Why, "the version is the same from step 3 on"); c.Verdict != Stale || named != stuck {
			t.Errorf("stuck: %v; %s: %s", stuck, c.Verdict, c.Why)
		}
	}
}

// A point of a sweep that is the trainer's own has the numbers of the rule.
func TestUsualPointIsTheRule(t *testing.T) {
	s := New(Asked{}, true)
	for _, x := range []Sample{logged(1, "a", 1, 1, 1), logged(1, "a", -1, 0.1)} {
		s.Add(x)
	}
	s.Finish()
	usual := 0
	for i, x := range s.Trials {
		if x.IsUsual {
			usual++
			for s.Trials[i].Bound != "" {
				i--
			}
			if d := s.Trials[i]; d.TokensKept != x.TokensKept || d.Rows != x.Rows || d.Name() != x.Name() {
				t.Errorf("%s: %+v and %+v", x.Label(), d, x)
			}
		}
	}
	if usual < 20 {
		t.Errorf("%d points are usual", usual)
	}
}
