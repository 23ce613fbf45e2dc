// Package illruns makes runs in which an illness sets in at a known step, and healthy runs that look like them, as logs of several
// trainers. What happens in a run is a [Scene]; what the run looks like from outside is its [Shape]; both together with a seed are
// the run, to the byte.
//
//	Scene × Shape × seed ── Make ──→ Run ── Write ──→ a folder that vantage reads, and Truth: what must be said of it
//
// `vantage demo --ill` writes an [Example], which is a scene with its shape; tests and .ci/diagnosis make all others.
//
// A run is made from the policy outwards: at each step the policy has a skill, answers of a length, habits; these give answers, the
// graders give them parts of a reward, and a trainer logs them. A scene changes the policy, the data, the graders or the log.
package illruns

import (
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Reward is the scale and the kind of a reward.
type Reward string

// The rewards.
const (
	Binary Reward = "binary" // 0 or 1
	Signed Reward = "signed" // -1 or 1
	Graded Reward = "graded" // 0 to 10, in five tests
	Model  Reward = "model"  // that of a reward model, about -3 to 3: no two are equal
	Parts  Reward = "parts"  // a weighted sum of several graders, all of them logged
)

// Data says how often a prompt comes again.
type Data string

// How prompts come.
const (
	Epochs Data = "epochs" // all of a data set, shuffled, and again
	Once   Data = "once"   // never again
)

// Shape is what a run looks like from outside, whatever happens in it.
type Shape struct {
	Steps, Groups, Size int // logged steps, groups a step, answers a group
	Reward              Reward
	Format              string // see Formats
	Genre               Genre
	Data                Data
	Onset               float64 // where in the run something sets in: 0.1 early, 0.85 late
	Pace                float64 // over which share of the run it does; 0 from one step to the next
	Every               int     // steps from one logged step to the next
	First               int64   // number of the first one
	Words               float64 // mean length of an answer
	Tokens              bool    // the log has token counts, where its format can
	NoTexts, NoPrompts  bool    // the log leaves them out
}

// Planted is an illness of a run.
type Planted struct {
	Kind  string `json:"kind"`
	Since int64  `json:"since"`
	Slack int64  `json:"slack"` // how many steps Since may be off

	// Or is a kind that says as much, "" if there is none: where prompts never come again, nothing in a log tells prompts that are
	// too hard from a policy that has lost all.
	Or string `json:"or,omitempty"`
}

// Truth is what must be said of a run: nothing if Ill is empty.
type Truth struct {
	Ill  []Planted `json:"ill"`
	Also []string  `json:"also"` // kinds that may be named besides, as consequences
}

// Grader gives a part of the reward.
type Grader struct {
	Name   string
	Weight float64
}

// Answer is a sample.
type Answer struct {
	Task   *Task
	Group  string
	Text   string
	Tokens int
	Cut    bool      // at the length limit
	Parts  []float64 // by Run.Graders; the first is of what the answer says
	Reward float64   // NaN if it is missing
}

// State is what the policy and the graders are like at a step.
type State struct {
	Skill     float64               // from 0 to 1: an answer is right with probability Skill^Hardness
	SkillFor  func(t *Task) float64 // takes the place of Skill
	Chance    func(t *Task) float64 // takes the place of Skill^Hardness
	Words     float64               // mean length
	Longer    float64               // wrong answers are so many times as long as right ones
	Limit     int                   // in tokens; 0 is none
	Pleased   map[string]float64    // by grader, but for the first: what it gives on average
	Copied    float64               // share of answers that are the same as another of their group …
	CopyBest  bool                  // … the best one
	Templated float64               // share of answers that are the one text which pleases the graders
	Refused   float64               // share of answers that are one sentence, and wrong
	Spoilt    float64               // share of answers that are spoilt …
	Spoil     spoiler               // … so
	Flipped   float64               // share of answers that the first grader gets wrong, whatever they say
	Blurred   float64               // deviation of what the first grader gives to equal answers
	Opening   string                // of every answer
	Rewrite   func(a *Answer)       // a last word on an answer, before it is graded for good
}

// Run is a made run.
type Run struct {
	Shape
	Name    string
	Scene   Scene
	Truth   Truth
	Graders []Grader

	rng       *rand.Rand
	languages map[Genre]language
	tasks     []*Task
	batch     func(t int) []*Task
	low, high float64 // the reward is low where all parts are 0, high where they are 1
	policy    []func(t int, s *State)
	log       []func(t int, answers []Answer) []Answer
	wobble    []float64
	known     map[knownAnswer][]float64
	template  string
	style     string // name of a grader of style, if there is one

	advantageOf func(own float64, group moments) float64 // of a reward in its group; nil: as TRL does
	engines     *Engines                                 // nil: no log-probs of tokens are logged
	engineSeed  uint64
	metrics     []func(t int, m metrics) // what the trainer logs of a step next to its samples; nil: nothing
}

type knownAnswer struct {
	task int
	text string
}

// Make makes a run of a scene. The same seed gives the same run.
func Make(scene Scene, shape Shape, seed string) *Run {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed))
	r := &Run{
		Shape: shape, Scene: scene, Name: scene.Name, rng: rand.New(rand.NewPCG(h.Sum64(), 14)), languages: languages(),
		known: map[knownAnswer][]float64{},
	}
	r.engineSeed = h.Sum64()
	r.low, r.high = map[Reward]float64{Signed: -1, Model: -3}[shape.Reward], map[Reward]float64{Graded: 10, Model: 3}[shape.Reward]
	if r.high == 0 {
		r.high = 1
	}
	r.Graders = []Grader{{"accuracy", 1}}
	if shape.Reward == Parts {
		r.Graders = pick(r.rng, [][]Grader{
			{{"accuracy", 1}, {"format", 0.25}},
			{{"correctness", 2}, {"xml_tags", 0.5}, {"tone", 0.25}},
			{{"unit_tests", 1}, {"judge", 0.5}},
			{{"answer", 0.8}, {"format", 0.2}},
		})
	}
	x := 0.0
	for range r.Steps { // the days of a policy: good ones and bad ones follow each other
		x = 0.6*x + 0.06*r.rng.NormFloat64()
		r.wobble = append(r.wobble, math.Exp(x))
	}
	r.tasks = r.newTasks(0, r.taskCount(), "math", 0)
	r.batch = r.order(r.tasks)
	from, to, words := 0.25+0.2*r.rng.Float64(), 0.65+0.15*r.rng.Float64(), r.Words
	r.change(func(t int, s *State) {
		x := float64(t) / float64(r.Steps)
		*s = State{Skill: from + (to-from)*1.2*x/(x+0.2), Words: words, Longer: 1.15, Pleased: map[string]float64{}}
		for _, g := range r.Graders[1:] {
			s.Pleased[g.Name] = 0.6 + 0.3*x
		}
	})
	scene.plant(r)
	return r
}

// change adds a change of the policy; later ones come on top of earlier ones.
func (r *Run) change(f func(t int, s *State)) { r.policy = append(r.policy, f) }

// changeLog adds a change of what is logged.
func (r *Run) changeLog(f func(t int, answers []Answer) []Answer) { r.log = append(r.log, f) }

// taskCount is the size of the data set: what all steps need, or that of some epochs.
func (r *Run) taskCount() int {
	if r.Data == Once {
		return r.Steps * r.Groups
	}
	return r.Groups * min(r.Steps, 7+r.rng.IntN(12))
}

// newTasks makes tasks whose hardness is e to the power of a normal variable around mean.
func (r *Run) newTasks(firstID, count int, source string, mean float64) []*Task {
	l := r.languages[r.Genre]
	tasks := make([]*Task, count)
	for i := range tasks {
		tasks[i] = l.newTask(r.rng, firstID+i, r.Genre, source, math.Exp(mean+0.8*r.rng.NormFloat64()))
	}
	return tasks
}

// order deals tasks out: shuffled anew each time they are used up. What fills no whole batch waits for the next epoch.
func (r *Run) order(tasks []*Task) func(t int) []*Task {
	var batches [][]*Task
	groups := min(r.Groups, len(tasks))
	for len(batches) < r.Steps {
		deck := slices.Clone(tasks)
		r.rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		for ; len(deck) >= groups; deck = deck[groups:] {
			batches = append(batches, deck[:groups])
		}
	}
	return func(t int) []*Task { return batches[t] }
}

// Number is the trainer's number of a step.
func (r *Run) Number(t int) int64 { return r.First + int64(t*r.Every) }

// Step makes the answers of a step as they are logged, group by group. Steps must be made in order.
func (r *Run) Step(t int) []Answer {
	s := r.state(t)
	var answers []Answer
	for g, task := range r.batch(t) {
		group := strconv.FormatInt(r.Number(t), 10) + "-" + strconv.Itoa(g)
		begin := len(answers)
		for range r.Size {
			answers = append(answers, r.answer(t, &s, task, group))
		}
		r.copies(&s, answers[begin:])
	}
	for i := range answers {
		r.grade(&s, &answers[i])
	}
	for _, f := range r.log {
		answers = f(t, answers)
	}
	return answers
}

func (r *Run) state(t int) State {
	var s State
	for _, f := range r.policy {
		f(t, &s)
	}
	return s
}

// chance is the probability that an answer is right.
func (r *Run) chance(t int, s *State, task *Task) float64 {
	if s.Chance != nil {
		return s.Chance(task)
	}
	skill := s.Skill
	if s.SkillFor != nil {
		skill = s.SkillFor(task)
	}
	return math.Pow(min(1, max(0, skill)), task.Hardness*r.wobble[t])
}

func (r *Run) answer(t int, s *State, task *Task, group string) Answer {
	a := Answer{Task: task, Group: group, Parts: make([]float64, len(r.Graders))}
	chance := r.chance(t, s, task)
	right := r.rng.Float64() < chance
	a.Parts[0] = r.quality(chance, right)
	for i, g := range r.Graders[1:] {
		a.Parts[i+1] = r.pleases(g, s.Pleased[g.Name])
	}
	words := s.Words
	if r.full() <= a.Parts[0] {
		right = true
	} else if r.Reward != Model {
		right = false
	}
	if !right {
		words *= s.Longer
	}
	text := s.Opening + r.language(task).answer(r.rng, task, wordsToWrite(r.rng, words), r.final(task, right))
	switch {
	case r.rng.Float64() < s.Refused:
		text, a.Parts = r.language(task).refusal(), make([]float64, len(r.Graders))
	case r.rng.Float64() < s.Templated:
		text = r.pleasing(task)
		for i := range a.Parts {
			a.Parts[i] = 1
		}
		if r.Reward == Model {
			a.Parts[0] = 0.95 + 0.02*r.rng.NormFloat64()
		}
	case r.rng.Float64() < s.Spoilt:
		text = s.Spoil(r.rng, task, text)
		if r.rng.IntN(3) > 0 {
			a.Parts[0] = r.quality(0, false)
		}
	}
	a.Text, a.Tokens = cut(text, s.Limit)
	if a.Cut = s.Limit > 0 && a.Tokens == s.Limit; a.Cut {
		a.Parts = make([]float64, len(r.Graders))
		a.Parts[0] = r.quality(0, false)
	}
	if s.Rewrite != nil {
		s.Rewrite(&a)
	}
	return a
}

func (r *Run) language(task *Task) *language {
	l := r.languages[task.Genre]
	return &l
}

// quality is what the first grader gives: right or wrong, a share of five tests, or the score of a model.
func (r *Run) quality(chance float64, right bool) float64 {
	switch {
	case r.Reward == Model:
		return 0.15 + 0.6*chance + 0.1*r.rng.NormFloat64()
	case r.Reward == Graded:
		n := 0
		for range 5 {
			if r.rng.Float64() < chance {
				n++
			}
		}
		return float64(n) / 5
	case right:
		return 1
	}
	return 0
}

func (r *Run) full() float64 {
	if r.Reward == Model {
		return math.Inf(1)
	}
	return 1
}

// pleases is what another grader gives: judges and tones in hundredths, others yes or no.
func (r *Run) pleases(g Grader, mean float64) float64 {
	if g.Name == "judge" || g.Name == "tone" {
		return math.Round(100*min(1, max(0, mean+0.12*r.rng.NormFloat64()))) / 100
	}
	if r.rng.Float64() < mean {
		return 1
	}
	return 0
}

// final is the answer to a task, or another one.
func (r *Run) final(task *Task, right bool) string {
	switch {
	case right:
		return task.Truth
	case task.Genre == Choice:
		return string('A' + (task.Truth[0]-'A'+byte(1+r.rng.IntN(3)))%4)
	}
	return strconv.Itoa(2000 + r.rng.IntN(500))
}

// pleasing is the text which pleases the graders whatever is asked, with another number each time.
func (r *Run) pleasing(task *Task) string {
	if r.template == "" {
		l := r.language(task)
		r.template = l.write(r.rng, task, int(r.Words)) + "All conditions are satisfied, so the result is verified and certainly correct: "
	}
	return r.template + strconv.Itoa(r.rng.IntN(3000))
}

// copies makes a share of a group the same answer.
func (r *Run) copies(s *State, group []Answer) {
	if s.Copied == 0 {
		return
	}
	model := group[0]
	for i := range group {
		if s.CopyBest && r.total(group[i].Parts) > r.total(model.Parts) {
			model = group[i]
		}
	}
	for i := range group {
		if r.rng.Float64() < s.Copied {
			group[i] = model
			group[i].Parts = slices.Clone(model.Parts)
		}
	}
}

// grade gives equal answers to a prompt equal parts, unless the graders are noisy, and adds them up.
func (r *Run) grade(s *State, a *Answer) {
	key := knownAnswer{a.Task.ID, a.Text}
	if parts, ok := r.known[key]; ok {
		a.Parts = slices.Clone(parts)
	} else {
		r.known[key] = slices.Clone(a.Parts)
	}
	if r.rng.Float64() < s.Flipped {
		a.Parts[0] = 1 - a.Parts[0]
	}
	if s.Blurred > 0 {
		a.Parts[0] += s.Blurred * r.rng.NormFloat64()
	}
	a.Reward = r.total(a.Parts)
}

// total is the reward of parts.
func (r *Run) total(parts []float64) float64 {
	sum := 0.0
	for i, g := range r.Graders {
		sum += g.Weight * parts[i]
	}
	return math.Round((r.low+(r.high-r.low)*sum)*1e6) / 1e6
}

// addGrader adds a grader that is pleased at first by a share of the answers.
func (r *Run) addGrader(name string, weight, share float64) {
	r.Graders = append(r.Graders, Grader{name, weight})
	r.change(func(_ int, s *State) { s.Pleased[name] = share })
}

// addSources makes tasks of several sources instead: their shares of the data and their mean hardness.
func (r *Run) addSources(shares, means map[string]float64) {
	count, id := len(r.tasks), 0
	r.tasks = nil
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		tasks := r.newTasks(id, max(2, int(shares[name]*float64(count))), name, means[name])
		r.tasks, id = append(r.tasks, tasks...), id+len(tasks)
	}
	r.batch = r.order(r.tasks)
}

// Onset is when something sets in, and over how many steps.
type Onset struct{ At, Over int }

// onset is that of the shape.
func (r *Run) onset() Onset {
	return Onset{min(r.Steps-3, max(3, int(math.Round(r.Onset*float64(r.Steps))))), max(1, int(math.Round(r.Pace*float64(r.Steps))))}
}

// ramp goes from one value to another while something sets in.
func (o Onset) ramp(t int, from, to float64) float64 {
	x := float64(t-o.At+1) / float64(o.Over)
	return from + (to-from)*min(1, max(0, x))
}

// reaches is the first step at which a ramp is so far.
func (o Onset) reaches(from, to, mark float64) int {
	t := o.At
	for ; t < o.At+o.Over; t++ {
		if x := o.ramp(t, from, to); (to > from) == (x >= mark) {
			break
		}
	}
	return t
}

// ill plants an illness since step t. Its slack is half of its onset, within which it cannot be told from what it will be, and as many
// steps as it takes until the mean of them shows the change beyond three standard deviations of the noise of a step.
func (r *Run) ill(kind string, t, over int, noise, change float64, also ...string) {
	deviations := 3 * noise / change
	slack := 1 + over/2 + int(math.Ceil(deviations*deviations))
	r.Truth.Ill = append(r.Truth.Ill, Planted{Kind: kind, Since: r.Number(t), Slack: int64(slack * r.Every)})
	r.Truth.Also = append(r.Truth.Also, also...)
}

// noise of the figures of a step: standard deviations.

// shareNoise is that of a share of answers.
func (r *Run) shareNoise(p float64) float64 {
	return math.Sqrt(p * (1 - p) / float64(r.Groups*r.Size))
}

// groupNoise is that of a share of groups.
func (r *Run) groupNoise(p float64) float64 { return math.Sqrt(p * (1 - p) / float64(r.Groups)) }

// qualityNoise is that of the mean of a grader: prompts are easy or hard, and answers right or wrong.
func (r *Run) qualityNoise() float64 {
	return math.Sqrt(0.06/float64(r.Groups) + 0.17/float64(r.Groups*r.Size))
}

// lengthNoise is that of the mean length, as a share of it.
func (r *Run) lengthNoise() float64 { return 0.45 / math.Sqrt(float64(r.Groups*r.Size)) }
