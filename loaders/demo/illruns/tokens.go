package illruns

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// Engines are how the log-probs of the engine that samples differ from those of the trainer. The formats nemo-rl, prime-rl, verifiers,
// jsonl and verl log both, and all but nemo-rl the versions that sampled.
type Engines struct {
	Noise  func(t, lag int) float64      // mean |d| of a token, nats
	Lag    func(t, i int) int            // in versions, of answer i of a step; nil: none is old
	Length func(t, i int) int            // in tokens; nil: as long as the answer
	Change func(t, i int, p *TokenProbs) // what else parts them; nil: nothing
}

// TokenProbs are the log-probs of the tokens of an answer.
type TokenProbs struct {
	Sampler, Trainer []float64
	Advantage        float64
	Lag              int
	Random           *rand.Rand
}

// verifiers is a log of verifiers 0.4, whose nodes hold the log-probs of both sides.
var verifiers = Format{Name: "verifiers", Texts: true, Prompts: true, Sources: true, Parts: true, write: (*writer).prime}

// healthyNoise is the mean |d| of equal weights in bfloat16.
const healthyNoise = 0.012

// withEngines sets what parts sampler and trainer, besides the noise of bfloat16 if there is no other.
func (r *Run) withEngines(e Engines) {
	if e.Noise == nil {
		e.Noise = func(int, int) float64 { return healthyNoise }
	}
	r.engines = &e
}

// tokensOf are those of answer i of a step. They are the same however often they are asked for, and hang on nothing else that is drawn.
func (w *writer) tokensOf(t, i int, advantage float64) *TokenProbs {
	e := w.engines
	p := &TokenProbs{Random: rand.New(rand.NewPCG(w.engineSeed, uint64(t)<<20|uint64(i))), Advantage: advantage}
	if e.Lag != nil {
		p.Lag = min(e.Lag(t, i), t)
	}
	n := max(8, w.steps[t][i].Tokens)
	if e.Length != nil {
		n = e.Length(t, i)
	}
	scale := e.Noise(t, p.Lag) * math.Sqrt(math.Pi/2) * (0.8 + 0.4*p.Random.Float64())
	for range n {
		sampler := -0.4 * p.Random.ExpFloat64()
		p.Sampler = append(p.Sampler, short(sampler))
		p.Trainer = append(p.Trainer, min(0, sampler+scale*p.Random.NormFloat64()))
	}
	if e.Change != nil {
		e.Change(t, i, p)
	}
	for k, x := range p.Trainer {
		p.Trainer[k] = short(x)
	}
	return p
}

// short is a number of five decimals.
func short(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 5, 64), 64)
	return y
}

// numbers are a list, with so many fillers before.
func numbers(filler float64, before int, all []float64) []any {
	var out []any
	for range before {
		out = append(out, number(filler))
	}
	for _, x := range all {
		out = append(out, logProb(x))
	}
	return out
}

// logProb is a number, and null for what JSON lacks.
func logProb(x float64) any {
	if x-x != 0 {
		return nil
	}
	return number(x)
}

func repeated(x any, n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// logProbs are the fields of a row with plain names; none if the run logs no log-probs.
func (w *writer) logProbs(t, i int, advantage float64) []field {
	if w.engines == nil {
		return nil
	}
	p := w.tokensOf(t, i, advantage)
	return []field{
		{"rollout_log_probs", numbers(0, 0, p.Sampler)},
		{"old_log_probs", numbers(0, 0, p.Trainer)},
		{"response_mask", repeated(1, len(p.Sampler))},
		{"policy_version", w.Number(t) - 1 - int64(p.Lag)},
	}
}

// advantageOfRow is that of an answer in its group, 0 if no log-probs are logged.
func (w *writer) advantageOfRow(t int, a *Answer) float64 {
	if w.engines == nil {
		return 0
	}
	return short(float64(w.advantage(a, w.advantages(w.steps[t]))))
}

// promptTokens is how many tokens stand before those of an answer.
const promptTokens = 2

// ids are those of the tokens of prompt and answer, which no other answer of the step has.
func (w *writer) ids(n int) []any {
	all := []any{1, 2 + w.at}
	for k := range n {
		all = append(all, 100+k%900)
	}
	return all
}

// nemoTokens is a row of NeMo-RL's train_data with log-probs.
func (w *writer) nemoTokens(t int, a *Answer) object {
	p := w.tokensOf(t, w.at, w.advantageOfRow(t, a))
	n := len(p.Sampler)
	return object{
		{"content", []any{[]any{a.Task.Prompt, a.Text}}},
		{"rewards", []any{number(a.Reward)}},
		{"token_ids", []any{w.ids(n)}},
		{"token_loss_mask", []any{append(repeated(0, promptTokens), repeated(1, n)...)}},
		{"sample_loss_mask", []any{1.0}},
		{"advantages", []any{repeated(number(p.Advantage), n+promptTokens)}},
		{"generation_logprobs", []any{numbers(0, promptTokens, p.Sampler)}},
		{"prev_logprobs", []any{numbers(0, promptTokens, p.Trainer)}},
		{"idx", a.Task.ID},
	}
}

// exportTokens is a row of prime-rl's token exports.
func (w *writer) exportTokens(t int, a *Answer) object {
	p := w.tokensOf(t, w.at, w.advantageOfRow(t, a))
	n := len(p.Sampler)
	return object{
		{"step", w.Number(t)},
		{"token_ids", w.ids(n)},
		{"loss_mask", append(repeated(false, promptTokens), repeated(true, n)...)},
		{"advantages", repeated(number(p.Advantage), n+promptTokens)},
		{"inference_logprobs", numbers(0, promptTokens, p.Sampler)},
		{"trainer_logprobs", numbers(0, promptTokens, p.Trainer)},
	}
}

// nodeTokens adds the tokens to the nodes of a trace, and the version that sampled them to its work. The trainer's log-probs are in the
// node where no export has them.
func (w *writer) nodeTokens(t int, a *Answer, asked, said, work object) (_, _, _ object) {
	p := w.tokensOf(t, w.at, w.advantageOfRow(t, a))
	n := len(p.Sampler)
	ids := w.ids(n)
	asked = append(asked, field{"token_ids", ids[:promptTokens]}, field{"mask", repeated(false, promptTokens)}, field{"logprobs", []any{}})
	said = append(said, field{"token_ids", ids[promptTokens:]}, field{"mask", repeated(true, n)},
		field{"logprobs", numbers(0, 0, p.Sampler)})
	if w.Format == "verifiers" {
		said = append(said, field{"trainer_logprobs", numbers(0, 0, p.Trainer)}, field{"advantages", repeated(number(p.Advantage), n)})
	}
	version := w.Number(t) - 1 - int64(p.Lag)
	return asked, said, append(work, field{"policy", object{{"start", version}, {"end", version}}})
}

// Parted is a run in a format with log-probs of which rewards and texts are healthy, and whose sampler and trainer differ as they are told
// to. With still its trainer logs a learning rate of 0.
func Parted(format, seed string, still bool, e Engines) *Run {
	plant := func(r *Run) {
		r.calm()
		r.settles(Onset{r.Steps, 1}, 0.35, 0.6)
		r.withEngines(e)
		if still {
			r.changeMetrics(func(_ int, m metrics) { m["actor/lr"] = 0 })
		}
	}
	shape := Shape{
		Steps: 24, Groups: 4, Size: 4, Reward: Binary, Format: format, Genre: Math, Data: Epochs, Onset: 0.5, Pace: 0.08, Every: 1,
		First: 1, Words: 35,
	}
	return Make(Scene{Kind: HealthyName, Name: "parted", plant: plant}, shape, seed)
}
