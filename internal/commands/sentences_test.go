package commands

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/illlogs"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/demo/illruns"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
)

// said is a sentence of the program, with the steps that it is of.
type said struct {
	where, text string
	first, last int64
	finding     record // that it is of
}

// claim is a kind of sentence, and what must be so of the rows where it is said: words are what its pattern finds. A sentence that fits
// no claim fails the test, as does a claim that is never met and is not known to be seldom, and one that holds whatever the sentence says.
type claim struct {
	where   string // as said.where
	of      string // the kind of warning or illness, where its constants are listed
	pattern string
	holds   func(l *rawLog, s said, words []string) error
	seldom  bool // no log here has it

	expr *regexp.Regexp // of the pattern, for whole sentences
}

// allClaims are those of the screen, and of summary and report.
func allClaims() []claim {
	all := slices.Concat(screenClaims(), claims())
	for i := range all {
		all[i].expr = regexp.MustCompile("^" + all[i].pattern + "$")
	}
	return all
}

// ofOne is the beginning of a sentence of one, whose verb the patterns have in the plural.
var ofOne = regexp.MustCompile(`^1 of \S+ [a-z ]+? (is|has|was) `)

// Every sentence that summary, report and the screen say of a log is so, by what the rows say that its trainer wrote, and would not be so
// if it or they were others.
func TestEverySentenceIsTrueOfItsRows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("what runs side by side here others try too")
	}
	all, met := allClaims(), map[int]*proof{}
	logs, ran := allRawLogs(t), 0
	for _, log := range logs {
		t.Run(log.name, func(t *testing.T) {
			ran++
			l := log.read(t)
			for _, s := range slices.Concat(whatIsSaid(t, l), saidOnScreen(t, l)) {
				s.text = ofOne.ReplaceAllStringFunc(s.text, func(begin string) string {
					return strings.NewReplacer(" is ", " are ", " has ", " have ", " was ", " were ").Replace(begin)
				})
				i := slices.IndexFunc(all, func(c claim) bool { return c.where == s.where && c.expr.MatchString(s.text) })
				if i < 0 {
					t.Errorf("%s: nothing here says when this is true: %s %q", l.name, s.where, s.text)
					continue
				}
				c := &all[i]
				if err := c.holds(l, s, c.expr.FindStringSubmatch(s.text)); err != nil {
					t.Errorf("%s, steps %d to %d: %s %q: %v", l.name, s.first, s.last, s.where, s.text, err)
					continue
				}
				if met[i] == nil {
					met[i] = &proof{numbers: map[int]bool{}}
				}
				met[i].try(c, l, s)
			}
		})
	}
	if ran < len(logs) {
		return
	}
	for i, p := range met {
		for _, what := range p.lacks() {
			t.Errorf("%s: %s %q", what, all[i].where, all[i].pattern)
		}
	}
	if _, err := os.Stat(samplesFolder); err == nil && repotest.Times(0, 1) == 1 {
		for i, c := range all {
			if met[i] == nil && !c.seldom {
				t.Errorf("no log has the sentence %s %q", c.where, c.pattern)
			}
		}
	}
}

// Each kind of warning and of illness has a claim, or is one that no log here can show.
func TestEveryKindHasAClaim(t *testing.T) {
	t.Parallel()
	unclaimed := []model.WarningKind{ // of settings that a person chooses, of options, or of logs in several rows a rollout or of a part of each group
		analysis.WarnTrainerRefuses, analysis.WarnUndefinedAdvantages, analysis.WarnStageNotApplied, analysis.WarnKLInReward, analysis.WarnGroupFilter, analysis.WarnTooFewKept,
		analysis.WarnKilledGroups, analysis.WarnSignFlips, analysis.WarnPhantomGroups, analysis.WarnGroupFilterAssumes, analysis.WarnEqualAdmitted, analysis.WarnLiveSkipped,
		analysis.WarnDrawnSamples, analysis.WarnFloatNoise, analysis.WarnRecomputeWithoutFilter, analysis.WarnOneSidedPush, analysis.WarnEffectiveRatio, analysis.WarnFilterIsOurs,
		analysis.WarnRolloutsAssumed, analysis.WarnApproximateLengths, analysis.WarnPartialGroups, analysis.WarnOffPolicy,
	}
	claimed := map[string]bool{}
	for _, c := range claims() {
		claimed[c.of] = true
	}
	for _, kind := range append(analysis.WarningKinds(), analysis.WarnAnswersAlike) {
		if claimed[string(kind)] == slices.Contains(unclaimed, kind) {
			t.Errorf("warning %s: claimed is %v", kind, claimed[string(kind)])
		}
	}
	unclaimedKinds := []diagnosis.Kind{ // that no sample has: tests beside them plant these
		diagnosis.AdvantagesDiffer, diagnosis.FewOutweigh, diagnosis.PartAgainst, diagnosis.ToolDisuse,
		diagnosis.PartOutweighs, diagnosis.SourceOutweighs,
	}
	for _, k := range diagnosis.Kinds() {
		if slices.Contains(unclaimedKinds, k.Name) {
			continue
		}
		isOfScalars := k.Name.OfScalars() || k.Name == diagnosis.NothingTrains // of samples too_hard, saturated or equal_rewards say it
		if !claimed[string(k.Name)] && !isOfScalars && !k.Name.OfLogProbs() {
			t.Errorf("illness %s has no claim", k.Name)
		}
	}
}

// samplesFolder is where logs of many trainers stand, on some machines.
var samplesFolder = filepath.Join("..", "..", "..", "shared", "samples")

// rawLogToRead is a log that is read, or made and read, when it is asked for: the rows of all at once take much memory.
type rawLogToRead struct {
	name string
	read func(t *testing.T) *rawLog
}

// allRawLogs are the logs of the samples, where they are, and made ones.
func allRawLogs(t *testing.T) (all []rawLogToRead) {
	t.Helper()
	if _, err := os.Stat(samplesFolder); err == nil {
		for _, s := range rawSamples() {
			all = append(all, rawLogToRead{s.path, func(t *testing.T) *rawLog {
				t.Helper()
				return s.readRaw(t, samplesFolder)
			}})
		}
	}
	for _, l := range madeRawLogs(t) {
		all = append(all, rawLogToRead{l.name, func(*testing.T) *rawLog { return l }})
	}
	kinds, n := map[string]bool{}, 0
	for _, s := range slices.Concat(illruns.Illnesses(), illruns.Healthy()) {
		isLost := strings.Contains(s.Name, "lost") // of which others are said to hold
		if s.Kind == "two illnesses" || s.Kind != "" && kinds[s.Kind] && !isLost {
			continue
		}
		kinds[s.Kind] = true
		if n++; n%6 >= repotest.Times(1, 6) && !isLost {
			continue
		}
		cell := illruns.Cell{Steps: 40, Groups: 8, Size: 8}
		if s.Kind == string(diagnosis.ToolFailure) {
			cell.Steps = s.Needs.Steps
		}
		if isLost {
			cell = illruns.Cell{Steps: 100, Groups: 6, Size: 16}
		}
		shape, ok := s.Shape(cell, rand.New(rand.NewPCG(1, 1)))
		if !ok {
			continue
		}
		shape.Format, shape.Onset, shape.Every, shape.Tokens = "jsonl", 0.5, 1, true
		if !s.Needs.Gradual {
			shape.Pace = 0.05
		}
		all = append(all, rawLogToRead{s.Kind + " " + s.Name, func(t *testing.T) *rawLog {
			t.Helper()
			folder := t.TempDir()
			if err := illlogs.Write(illruns.Make(s, shape, s.Name), folder, illruns.Arrange{}); err != nil {
				t.Fatal(err)
			}
			l := readPlain(t, s.Kind+" "+s.Name, filepath.Join(folder, "rollouts.jsonl"))
			l.byPrompt = s.Kind == "group_mixup"
			return l
		}})
	}
	return all
}

// madeRawLogs are runs in which something happens that no other log here has.
func madeRawLogs(t *testing.T) (all []*rawLog) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	made := func(name string, steps, groups, size int, args []string, row func(step, group, i int) string) {
		var text strings.Builder
		for k := range steps * groups * size {
			step, group, i := k/size/groups+1, k/size%groups, k%size
			fmt.Fprintf(&text, `{"step":%d,"group_id":"g%d-%d","prompt":"What is %d+%d?",%s}`+"\n", step, step, group, step, group, row(step, group, i))
		}
		path := filepath.Join(t.TempDir(), "rollouts.jsonl")
		filetest.Write(t, path, text.String())
		l := readPlain(t, name, path)
		l.args = args
		l.nanAs0 = args == nil
		all = append(all, l)
	}
	answer := func(reward any, more string) string {
		return fmt.Sprintf(`"response":"It is %d","response_length":%d,"reward":%v%s`, random.Int64(), 3+random.IntN(90), reward, more)
	}
	coin := func() any { return random.IntN(2) }
	nan := func(_, _, _ int) string {
		if random.IntN(20) == 0 {
			return answer("NaN", "")
		}
		return answer(coin(), "")
	}
	made("NaN that count", 6, 10, 4, nil, nan)
	made("NaN that do not", 6, 10, 4, []string{"--framework", "verl"}, nan)
	made("residue", 6, 20, 3, nil, func(_, _, i int) string { return answer([]float64{0.45, 0.1, 0.8}[i], "") })
	made("residue alone", 6, 4, 8, []string{"--framework", "prime-rl"}, func(_, _, _ int) string { return answer(0.2, "") })
	made("masked", 6, 10, 4, []string{"--framework", "trl", "--truncated", "mask"}, func(_, _, _ int) string {
		return answer(coin(), fmt.Sprintf(`,"is_truncated":%v`, random.IntN(5) == 0))
	})
	refusals := []string{"I'm sorry, but I don't have the capability to calculate", "I cannot provide such a response", "As an AI language model, I don't have feelings", "I am not capable of arithmetic", "I'm sorry, but I can't provide that", "I apologize, but I can't answer questions"}
	made("one group a step, refusals from step 42 to 50", 100, 1, 6, []string{"--framework", "trl"}, func(step, _, i int) string {
		switch {
		case step >= 42 && step <= 50:
			return fmt.Sprintf(`"response":%q,"reward":0`, refusals[i])
		case step == 8 || step == 77 || step == 78:
			return fmt.Sprintf(`"response":"%d","reward":0`, 1000+step)
		case step%3 == 0:
			return answer(1, "")
		}
		return answer(coin(), "")
	})
	made("equal rewards, too few steps for a finding", 3, 4, 4, nil, func(_, _, _ int) string { return answer(0.5, "") })
	return all
}

// readPlain reads a log of plain rows.
func readPlain(t *testing.T, name, path string) *rawLog {
	t.Helper()
	l := &rawLog{name: name, path: []string{path}, nanAs0: true} // as easyr1 reads it, which is assumed
	for _, r := range records(t, path) {
		row := plain(r, int64(r.number("step")), "group_id", "prompt", "response", "reward")
		row.tokens, row.source, row.cutOff = int(max(0, r.number("response_length"))), r.text("data_source"), r["is_truncated"] == true
		for key := range r {
			if strings.HasSuffix(key, "_reward") {
				if row.parts == nil {
					row.parts = map[string]float64{}
				}
				row.parts[key] = r.number(key)
			}
		}
		l.rows = append(l.rows, row)
	}
	return l
}

// whatIsSaid is every sentence that summary and report say of a log.
func whatIsSaid(t *testing.T, l *rawLog) (all []said) {
	t.Helper()
	read := func(args ...string) record {
		out := runCommand(t, append(append(args, l.path...), append(l.args, "--format", "json")...)...)
		r := record{}
		if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &r); err != nil {
			t.Fatalf("%s: %v in %s", l.name, err, out)
		}
		return r
	}
	steps := l.steps()
	first, last := steps[0], steps[len(steps)-1]
	add := func(where string, first, last int64, finding record, texts ...any) {
		for _, text := range texts {
			if text, _ := text.(string); text != "" {
				all = append(all, said{where, text, first, last, finding})
			}
		}
	}
	summary, report := read("summary"), read("report")
	open, _ := summary["open_steps"].([]any)
	l.grows = len(open) > 0
	l.rows = slices.DeleteFunc(l.rows, func(r rawRow) bool { return slices.Contains(open, any(float64(r.step))) }) // they count in nothing
	add("advice", first, last, nil, summary["advice"])
	add("numbers", first, last, nil, summary["computed_as"])
	add("reward", first, last, nil, summary["reward"])
	for _, r := range list(summary, "worst") {
		add("cause", int64(r.number("from")), int64(r.number("to")), r, r["cause"])
	}
	l.findings = list(report, "findings")
	for _, r := range l.findings {
		since, until := int64(r.number("since")), int64(r.number("until"))
		add("title", since, until, r, r["title"])
		follows, _ := r["follows"].([]any)
		add("title", since, until, r, follows...)
		evidence, _ := r["evidence"].([]any)
		add("evidence", since, until, r, evidence...)
		add("do", since, until, r, r["advice"])
	}
	l.blind = len(list(report, "cannot_tell"))
	for _, r := range list(report, "cannot_tell") {
		add("blind", first, last, r, r["why"])
	}
	for _, step := range list(report, "steps") {
		for _, w := range list(step, "warnings") {
			n := int64(step.number("step"))
			add("warning", n, n, w, w["text"])
		}
	}
	for _, line := range strings.Split(runCommand(t, append(append([]string{"summary"}, l.path...), l.args...)...), "\n") {
		label, text, _ := strings.Cut(line, " ")
		switch label {
		case "samples", "groups", "means":
			add(label, first, last, nil, strings.TrimSpace(text))
		}
	}
	return all
}

// list are the objects in a list.
func list(r record, key string) (all []record) {
	values, _ := r[key].([]any)
	for _, v := range values {
		all = append(all, v.(map[string]any))
	}
	return all
}

// saidNumber is one that the program writes: "1,024", "0.658", "98%".
func saidNumber(text string) float64 {
	text, percent := strings.CutSuffix(strings.ReplaceAll(text, ",", ""), "%")
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	if percent {
		x /= 100
	}
	return x
}

// same fails if a number is not what is said, to the digits that are shown.
func same(what, said string, is float64) error {
	x := saidNumber(said)
	digits := strings.TrimLeft(strings.TrimSuffix(said, "%"), "-0.")
	tolerance := 0.0051*math.Abs(is) + 1e-6 // which float32 leaves
	if strings.HasSuffix(said, "%") {
		tolerance = 0.0051
	} else if !strings.ContainsAny(said, ".e") {
		tolerance = 0.501
	}
	if math.Abs(x-is) <= tolerance || len(digits) <= 3 && math.Abs(x-is) <= 0.0051 {
		return nil
	}
	return fmt.Errorf("%s is %.6g", what, is)
}

func oneDigit(what, said string, is float64) error {
	if math.Abs(saidNumber(said)-is) > 0.051 {
		return fmt.Errorf("%s is %.6g", what, is)
	}
	return nil
}

func count(what, said string, is int) error {
	if int(saidNumber(said)) != is {
		return fmt.Errorf("%s are %d", what, is)
	}
	return nil
}

// percentIs fails if so many of so many are another share in percent, which is 0% of none alone, and 100% of all.
func percentIs(said, n, of string) error {
	is := saidNumber(n) / saidNumber(of)
	if x := saidNumber(said); math.Abs(x-is) > 0.0101 || (x == 0) != (is == 0) || (x == 1) != (is == 1) {
		return fmt.Errorf("%s of %s are %.3g", n, of, is)
	}
	return nil
}

// firstError is the first error of some.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// extremes are the least and the greatest of the finite rewards of the log.
func (l *rawLog) extremes() (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, r := range l.rows {
		if !math.IsNaN(r.reward) {
			least, most = min(least, r.reward), max(most, r.reward)
		}
	}
	return least, most
}

// usual is the median of the means of the steps, as the trainer counts what is no number.
func (l *rawLog) usual(of func(*rawRow) float64) float64 {
	var means []float64
	for _, step := range l.steps() {
		rows := l.within(step, step)
		mean, n := meanOf(rows, of)
		if l.nanAs0 {
			mean *= float64(n) / float64(len(rows))
		}
		means = append(means, mean)
	}
	slices.Sort(means)
	return (means[(len(means)-1)/2] + means[len(means)/2]) / 2
}

// fate is what the rewards of a group tell.
func (l *rawLog) fate(g rawGroup) string {
	if l.nanAs0 {
		g.rows = slices.Clone(g.rows)
		for i := range g.rows {
			if math.IsNaN(g.rows[i].reward) {
				g.rows[i].reward = 0
			}
		}
	}
	first := g.rows[0].reward
	invalid := slices.ContainsFunc(g.rows, func(r rawRow) bool { return math.IsNaN(r.reward) })
	equal := !slices.ContainsFunc(g.rows, func(r rawRow) bool { return float32(r.reward) != float32(first) }) // as trainers hold them
	switch {
	case invalid:
		return "invalid"
	case len(g.rows) == 1:
		return "single"
	case l.hasOwnAdvantages() && slices.ContainsFunc(g.rows, func(r rawRow) bool { return r.advantage != 0 }):
		return "alive"
	case !equal:
		return "alive"
	}
	switch least, most := l.extremes(); {
	case least == most && first != 0 && first != 1:
		return "all equal" // nothing shows what is right
	case first == least:
		return "all wrong"
	case first == most:
		return "all correct"
	}
	return "all equal"
}

func (l *rawLog) fates(first, last int64) (n map[string]int, groups int) {
	n = map[string]int{}
	found := l.groups(first, last)
	for _, g := range found {
		n[l.fate(g)]++
	}
	return n, len(found)
}

// hasOwnAdvantages reports whether the advantages of a log are none of its rewards, so that they are taken as they are: those of a group do not
// sum to 0.
func (l *rawLog) hasOwnAdvantages() bool {
	if l.isOwn == nil {
		own := l.findOwnAdvantages()
		l.isOwn = &own
	}
	return *l.isOwn
}

func (l *rawLog) findOwnAdvantages() bool {
	return slices.ContainsFunc(l.groups(math.MinInt64, math.MaxInt64), func(g rawGroup) bool {
		sum, largest := 0.0, 0.0
		for _, r := range g.rows {
			sum, largest = sum+r.advantage, max(largest, math.Abs(r.advantage))
		}
		return len(g.rows) > 1 && math.Abs(sum) > 0.01*largest
	})
}

// trains are the rows that train.
func (l *rawLog) trains() int {
	n, _ := l.movers()
	return n
}

// movers are the rows of groups that differ whose reward is not the mean of their group, but for masked ones, and those at the mean, which
// move nothing whatever float arithmetic leaves of them.
func (l *rawLog) movers() (move, atMean int) {
	own := l.hasOwnAdvantages()
	for _, g := range l.groups(math.MinInt64, math.MaxInt64) {
		mean, n := meanOf(g.rows, rewardOf)
		if l.nanAs0 {
			mean *= float64(n) / float64(len(g.rows))
		}
		alive := l.fate(g) == "alive"
		for _, r := range g.rows {
			if l.nanAs0 && math.IsNaN(r.reward) {
				r.reward = 0
			}
			off := math.Abs(r.reward-mean) > 1e-9*max(1, math.Abs(mean))
			if own {
				off = r.advantage != 0
			}
			move += model.Count01(off && alive && (!r.cutOff || !l.masks()))
			atMean += model.Count01(!off)
		}
	}
	return move, atMean
}

// unsettled are the rows that train or not as their trainer has it: those of groups with a reward that is no number, and those that
// rounding moves off the mean of their group.
func (l *rawLog) unsettled() int {
	_, n := l.movers()
	for _, g := range l.groups(math.MinInt64, math.MaxInt64) {
		if l.fate(g) == "invalid" {
			n += len(g.rows)
		}
	}
	return n
}

// filtered returns how many rows train if of the rows of each group above its mean, and below it, such shares are kept, the extreme ones
// first: all of a share of 1, else one at least. shares are what is left of Σ|A|, of advantages in standard deviations of their group and
// as they are.
func (l *rawLog) filtered(pos, neg float64) (n int, shares []float64) {
	var all, kept [2]float64
	for _, g := range l.groups(math.MinInt64, math.MaxInt64) {
		mean, _ := meanOf(g.rows, rewardOf)
		var sides [2][]float64 // deviations above and below
		squares := 0.0
		for _, r := range g.rows {
			d := r.reward - mean
			if l.hasOwnAdvantages() {
				d = r.advantage
			}
			squares += d * d
			switch {
			case l.fate(g) != "alive" || r.cutOff && l.masks():
			case d > 1e-9:
				sides[0] = append(sides[0], d)
			case d < -1e-9:
				sides[1] = append(sides[1], -d)
			}
		}
		std := math.Sqrt(squares / float64(len(g.rows)-1))
		for side, ratio := range []float64{pos, neg} {
			slices.Sort(sides[side])
			slices.Reverse(sides[side])
			left := len(sides[side])
			if ratio < 1 {
				left = min(left, max(1, int(float64(left)*ratio)))
			}
			for i, d := range sides[side] {
				all[0], all[1] = all[0]+d/std, all[1]+d
				if i < left {
					n++
					kept[0], kept[1] = kept[0]+d/std, kept[1]+d
				}
			}
		}
	}
	return n, []float64{kept[0] / all[0], kept[1] / all[1]}
}

// masks reports whether answers that were cut off are masked in the loss.
func (l *rawLog) masks() bool { return slices.Contains(l.args, "mask") }

// fateIs holds if so many of so many groups have a fate.
func fateIs(l *rawLog, s said, fate, n, of string) error {
	fates, groups := l.fates(s.first, s.last)
	return firstError(count("groups that are "+fate, n, fates[fate]), count("groups", of, groups))
}

// beginAlike holds if most of the answers of groups that are all wrong begin with some words.
func beginAlike(l *rawLog, s said, words string) error {
	answers, alike := 0, 0
	for _, g := range l.groups(s.first, s.last) {
		for _, r := range g.rows {
			if l.fate(g) != "all wrong" {
				continue
			}
			if answers++; strings.HasPrefix(strings.ToLower(strings.Join(strings.Fields(r.answer), " ")), strings.ToLower(words)) && (words != "" || r.answer == "") {
				alike++
			}
		}
	}
	if strings.Contains(s.text, "such as") && alike > 0 {
		return nil
	}
	if 2*alike < answers || answers == 0 {
		return fmt.Errorf("%d of %d answers begin so", alike, answers)
	}
	return nil
}

// beginSome holds if some answer begins with words, or none are said.
func beginSome(l *rawLog, s said, words string) error {
	begins := func(r rawRow) bool {
		return strings.HasPrefix(strings.ToLower(strings.Join(strings.Fields(r.answer), " ")), strings.ToLower(words))
	}
	if words != "" && !slices.ContainsFunc(l.within(s.first, s.last), begins) {
		return fmt.Errorf("no answer begins with %q", words)
	}
	return nil
}

// noRow holds if a log has no row with something.
func noRow(has func(*rawRow) bool) func(*rawLog, said, []string) error {
	return func(l *rawLog, _ said, _ []string) error {
		for i := range l.rows {
			if has(&l.rows[i]) {
				return fmt.Errorf("the row at %d has it", i)
			}
		}
		return nil
	}
}

// turns holds if a figure of the rows is higher, or lower, at the end than before the onset.
func turns(sign float64, of func(*rawRow) float64) func(*rawLog, said, []string) error {
	return func(l *rawLog, s said, _ []string) error {
		before, n := meanOf(l.within(math.MinInt64, s.first-1), of)
		after, _ := meanOf(l.within((s.first+s.last+1)/2, s.last), of)
		if n > 0 && sign*(after-before) <= 0 {
			return fmt.Errorf("the mean is %.3g before and %.3g after", before, after)
		}
		return nil
	}
}

// shareOf holds if the share of the groups of some fates in the last steps that a sentence is of is about what is said.
func shareOf(some ...string) func(*rawLog, said, []string) error {
	return func(l *rawLog, s said, words []string) error {
		steps := slices.DeleteFunc(slices.Clone(l.steps()), func(step int64) bool { return step > s.last })
		fates, groups := l.fates(steps[len(steps)-min(len(steps), 5)], s.last)
		return same("the share of the last steps", words[1], float64(sumOf(fates, some))/float64(groups))
	}
}

func sumOf(fates map[string]int, some []string) (n int) {
	for _, f := range some {
		n += fates[f]
	}
	return n
}

func equalFates() []string { return []string{"all correct", "all wrong", "all equal"} }

// figureOf returns the figure of a name over some steps, and of how many rows, groups or steps it is.
func (l *rawLog) figureOf(name string, first, last int64) (x float64, n int, known bool) {
	rows := l.within(first, last)
	fates, groups := l.fates(first, last)
	switch name {
	case "reward":
		x, n = meanOf(rows, rewardOf)
	case "typical length":
		x, n = meanOf(rows, func(r *rawRow) float64 { return math.Log(float64(r.tokens)) })
		x = math.Exp(x)
	case "invalid rewards":
		for _, r := range rows {
			x += float64(model.Count01(math.IsNaN(r.reward)))
		}
		x, n = x/float64(len(rows)), len(rows)
	case "all wrong groups", "all correct groups":
		x, n = float64(fates[strings.TrimSuffix(name, " groups")])/float64(groups), groups
	case "groups with equal rewards":
		x, n = float64(sumOf(fates, equalFates()))/float64(groups), groups
	case "groups of several prompts":
		byID := *l
		byID.byPrompt = false
		mixed := byID.groups(first, last)
		groups = len(mixed)
		for _, g := range mixed {
			x += float64(model.Count01(slices.ContainsFunc(g.rows, func(r rawRow) bool { return r.prompt != g.rows[0].prompt })))
		}
		x, n = x/float64(groups), groups
	case "groups that train without a right answer":
		for _, g := range l.groups(first, last) {
			if l.fate(g) == "alive" {
				n++
				x += float64(model.Count01(hasNoRightAnswer(g)))
			}
		}
		x /= float64(n)
	case "answers at the length limit":
		longest := map[int64]int{}
		for _, r := range rows {
			longest[r.step] = max(longest[r.step], r.tokens)
		}
		x, n = meanOf(rows, func(r *rawRow) float64 { return float64(model.Count01(r.tokens == longest[r.step])) })
	case "prompts of the step before":
		for _, step := range slices.DeleteFunc(l.steps(), func(step int64) bool { return step < first || step > last }) {
			before, now := map[string]bool{}, map[string]bool{}
			for _, r := range l.within(step-1, step-1) {
				before[r.prompt] = true
			}
			for _, r := range l.within(step, step) {
				now[r.prompt] = true
			}
			n += len(now)
			for prompt := range now {
				x += float64(model.Count01(before[prompt]))
			}
		}
		x /= float64(n)
	default:
		if source, found := strings.CutPrefix(name, "reward of source "); found {
			x, n = meanOf(slices.DeleteFunc(rows, func(r rawRow) bool { return r.source != source }), rewardOf)
			return x, n, true
		}
		if _, known := l.rows[0].parts[name]; !known {
			return 0, 0, false
		}
		x, n = meanOf(rows, func(r *rawRow) float64 { return r.parts[name] })
	}
	return x, n, true
}

// hasNoRightAnswer reports whether the column of correctness is 1 for no row of a group.
func hasNoRightAnswer(g rawGroup) bool {
	return !slices.ContainsFunc(g.rows, func(r rawRow) bool { return r.parts["accuracy_reward"] == 1 })
}

// rewardsFollow holds if in the groups that train without a right answer each row with the better part has the better reward.
func (l *rawLog) rewardsFollow(part string, first, last int64) error {
	for _, g := range l.groups(first, last) {
		if l.fate(g) != "alive" || !hasNoRightAnswer(g) {
			continue
		}
		for _, a := range g.rows {
			for _, b := range g.rows {
				if a.parts[part] > b.parts[part] && a.reward <= b.reward {
					return fmt.Errorf("step %d, group %s: %s is %v and %v, the reward %v and %v", g.step, g.name, part, a.parts[part], b.parts[part], a.reward, b.reward)
				}
			}
		}
	}
	return nil
}

// finalWords are the rewards of the answers of a group by their last word.
func (g *rawGroup) finalWords() map[string][]float64 {
	all := map[string][]float64{}
	for _, r := range g.rows {
		if words := strings.Fields(r.answer); len(words) > 0 {
			last := words[len(words)-1]
			all[last] = append(all[last], r.reward)
		}
	}
	return all
}

// bothWays holds if one last word is graded right and wrong in about the share of the groups that is said, of which the program reads a part,
// and the one that is quoted is in some.
func bothWays(l *rawLog, s said, w []string) error {
	groups, differ, quoted := l.groups(s.first, s.last), 0., false
	for i := range groups {
		isBoth := false
		for word, rewards := range groups[i].finalWords() {
			if slices.Min(rewards) < slices.Max(rewards) {
				isBoth, quoted = true, quoted || word == w[3]
			}
		}
		differ += float64(model.Count01(isBoth))
	}
	share, is := saidNumber(w[1])/saidNumber(w[2]), differ/float64(len(groups))
	if !quoted || math.Abs(share-is) > 0.15 || saidNumber(w[2]) > float64(len(groups)) {
		return fmt.Errorf("it is %.2f of %d groups, and %q is in some: %v", is, len(groups), w[3], quoted)
	}
	return nil
}

// failedTools is a figure of answers in which a tool was called: the share in which it failed.
const failedTools = "results of tools that are errors"

var toolResult = regexp.MustCompile(`<tool_response>(.*?)</tool_response>`)

// ofSome returns a figure of answers over some steps, of which the program reads a part.
func (l *rawLog) ofSome(name, title string, first, last int64) (x float64, known bool) {
	isOthers := name == "reward of the others"
	if part, found := strings.CutPrefix(title, "the reward of "); found && (isOthers || strings.HasPrefix(name, "reward of prompts ")) {
		part, _, _ = strings.Cut(part, " falls from ")
		isLost := l.rowsOf(part)
		x, _ = meanOf(slices.DeleteFunc(l.within(first, last), func(r rawRow) bool { return isLost(r) == isOthers }), rewardOf)
		return x, true
	}
	if name == failedTools {
		asked := 0.
		for _, r := range l.within(first, last) {
			if m := toolResult.FindStringSubmatch(r.answer); m != nil {
				_, err := strconv.ParseFloat(m[1], 64) // made tools calculate
				asked, x = asked+1, x+float64(model.Count01(err != nil))
			}
		}
		return x / asked, true
	}
	groups := l.groups(first, last)
	repeated, differ, finals, finalsDiffer := 0., 0., 0., 0.
	for _, g := range groups {
		texts := map[string][]float64{}
		garbled := 0.
		for _, r := range g.rows {
			texts[r.prompt+r.answer] = append(texts[r.prompt+r.answer], r.reward)
			end := strings.TrimSpace(r.answer)
			end = end[max(0, len(end)-20):]
			garbled += float64(model.Count01(strings.Count(r.answer, end) >= 3)) // it says one thing until it ends
		}
		switch name {
		case "distinct answers":
			x += float64(len(texts)) / float64(len(g.rows)) / float64(len(groups))
		case "garbled answers":
			x += garbled / float64(len(g.rows)) / float64(len(groups))
		}
		for _, rewards := range g.finalWords() {
			if len(rewards) > 1 {
				finals++
				finalsDiffer += float64(model.Count01(slices.Min(rewards) < slices.Max(rewards)))
			}
		}
		for _, rewards := range texts {
			if len(rewards) > 1 {
				repeated++
				differ += float64(model.Count01(slices.Min(rewards) < slices.Max(rewards)))
			}
		}
	}
	switch name {
	case "repeated answers graded in several ways":
		x = differ / repeated
	case "final answers graded both ways":
		x = finalsDiffer / finals
	}
	return x, slices.Contains([]string{"distinct answers", "garbled answers", "repeated answers graded in several ways", "final answers graded both ways"}, name)
}

// rowsOf returns which rows are of a part that is said to be lost: of a source, or of prompts with hardly any reward in the last quarter.
func (l *rawLog) rowsOf(part string) func(rawRow) bool {
	if source, named := strings.CutPrefix(part, "source "); named {
		return func(r rawRow) bool { return r.source == source }
	}
	steps, late := l.steps(), map[string][]rawRow{}
	for _, r := range l.within(steps[len(steps)*3/4], steps[len(steps)-1]) {
		late[r.prompt] = append(late[r.prompt], r)
	}
	lost := map[string]bool{}
	for prompt, rows := range late {
		mean, _ := meanOf(rows, rewardOf)
		lost[prompt] = mean <= 0.1
	}
	return func(r rawRow) bool { return lost[r.prompt] }
}

// saysItsEvidence holds if the numbers of a title are those of its evidence, before and after, which has a claim of its own. What follows from
// another finding has no evidence beside it.
func saysItsEvidence(_ *rawLog, s said, _ []string) error {
	if s.finding["title"] != s.text {
		return nil
	}
	evidence := fmt.Sprint(s.finding["evidence"])
	quoted := regexp.MustCompile(`“.*”(?: and so on, [\d,]+ characters)?`) // the numbers of an answer are no figures
	for _, number := range regexp.MustCompile(`\d[\d.,]*%?`).FindAllString(quoted.ReplaceAllString(s.text, ""), -1) {
		if !regexp.MustCompile(`(^|[ \[])` + regexp.QuoteMeta(strings.TrimRight(number, ".,")) + `( |$)`).MatchString(evidence) {
			return fmt.Errorf("its evidence is %s", evidence)
		}
	}
	return nil
}

// both holds if both do.
func both(a, b func(*rawLog, said, []string) error) func(*rawLog, said, []string) error {
	return func(l *rawLog, s said, words []string) error { return firstError(a(l, s, words), b(l, s, words)) }
}
