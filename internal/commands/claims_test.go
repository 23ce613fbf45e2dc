package commands

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
)

// Parts of the patterns of claims.
const (
	num  = `([-\d.,e%]+)`
	step = `(-?\d+)`

	wordsSaid = `[“]([^”]*?)…?[”]`
	alikeSaid = `(?:refusals(?: such as)?|(?:one answer to (?:all|most),|answers nearly alike,|each step has one answer to (?:all|most), such as)) ` + wordsSaid + `(?:, ` + wordsSaid + `)?`
	emptySaid = `(?:; ` + num + ` empty)?` // what a trainer says of a sample beside its numbers is in no sample log: of those here some are empty
)

// claims are all: of two that fit a sentence the first counts.
func claims() []claim {
	return slices.Concat(lineClaims(), adviceClaims(), causeClaims(), warningClaims(), blindClaims(), illnessClaims())
}

// lineClaims are those of the lines of a summary.
func lineClaims() []claim {
	return []claim{
		{
			where:   "samples",
			pattern: num + `/` + num + ` \(` + num + `\) train: their advantage is not 0(?:; of these ` + num + ` alone in a group, which then carries no signal)?(?:; ` + num + ` holds? a rounding error, at the mean of (?:its|their) group)?(?:; ` + num + ` (?:masked|cut off))?` + emptySaid + `(; so does the last row, by its logged advantage: the log cuts its group)?`,
			holds: func(l *rawLog, _ said, w []string) error {
				least, n := l.trains(), int(saidNumber(w[1]))
				most := least
				for _, g := range l.groups(math.MinInt64, math.MaxInt64) {
					if l.fate(g) == "invalid" { // whose trainer may count what is no number as one
						most += len(g.rows)
					}
				}
				if w[4] != "" {
					n -= int(saidNumber(w[4]))
				}
				if n < least || n > most {
					return fmt.Errorf("from %d to %d train", least, most)
				}
				if err := percentIs(w[3], w[1], w[2]); err != nil {
					return err
				}
				if last := l.rows[len(l.rows)-1]; w[8] != "" && (len(l.groups(last.step, last.step)[len(l.groups(last.step, last.step))-1].rows) != 1 || last.advantage == 0) {
					return fmt.Errorf("its advantage is %g", last.advantage)
				}
				return firstError(count("samples", w[2], len(l.rows)), checkCutOff(l, w[6]), checkResidue(l, w[5]), checkEmpty(l, w[7]))
			},
		},
		{
			where:   "samples",
			pattern: `evaluation: none of ` + num + ` trains; ` + num + `/` + num + ` \(` + num + `\) have an advantage that is not 0` + emptySaid,
			holds: func(l *rawLog, _ said, w []string) error {
				if !l.evaluates {
					return fmt.Errorf("it trains")
				}
				return firstError(count("samples", w[1], len(l.rows)), count("samples", w[3], len(l.rows)),
					count("samples that differ", w[2], l.trains()), percentIs(w[4], w[2], w[3]), checkEmpty(l, w[5]))
			},
		},
		{
			where:   "groups",
			pattern: num + `/` + num + ` \(` + num + `\) carry signal; (.*)`,
			holds: func(l *rawLog, s said, w []string) error {
				fates, groups := l.fates(s.first, s.last)
				err := firstError(count("groups", w[2], groups), percentIs(w[3], w[1], w[2]))
				if n := int(saidNumber(w[1])); n < fates["alive"] || n > fates["alive"]+fates["invalid"] { // a trainer may leave out what is no number
					err = fmt.Errorf("%d groups carry signal", fates["alive"])
				}
				if fates["invalid"] > 0 && !strings.Contains(w[4], "invalid") {
					return err
				}
				for _, part := range strings.Split(w[4], ", ") {
					n, fate, _ := strings.Cut(part, " ")
					err = firstError(err, count(fate, n, fates[fate]))
				}
				return err
			},
		},
		{
			where:   "means",
			pattern: `reward ` + num + `(?:, ` + num + ` NaN or missing( as the trainer counts them)?)?(?:, length ` + num + ` \w+)?`,
			holds: func(l *rawLog, _ said, w []string) error {
				mean, n := meanOf(l.rows, rewardOf)
				if w[3] != "" { // as 0
					mean *= float64(n) / float64(len(l.rows))
				}
				err := same("the mean reward", w[1], mean)
				if invalid := len(l.rows) - n; w[2] != "" || invalid > 0 {
					err = firstError(err, count("rewards that are no numbers", w[2], invalid))
				}
				if length, counted := meanOf(l.rows, lengthOf); length > 0 && counted == len(l.rows) {
					err = firstError(err, same("the mean length", w[4], length))
				}
				return err
			},
		},
		{
			where:   "numbers",
			pattern: `.*`,
			holds: func(l *rawLog, s said, _ []string) error {
				_, groups := l.fates(s.first, s.last)
				if compared := regexp.MustCompile(`[✓!≈] [\d,]+/([\d,]+) as logged`).FindStringSubmatch(s.text); compared != nil {
					n := 0
					for _, g := range l.groups(s.first, s.last) {
						for _, r := range g.rows {
							n += model.Count01(!math.IsNaN(r.advantage) && len(g.rows) > 1)
						}
					}
					if err := count("logged advantages of groups", compared[1], n); err != nil {
						return err
					}
				}
				if guess := strings.Contains(s.text, "(a guess: each prompt has one sample)"); guess != (groups == len(l.rows)) {
					return fmt.Errorf("%d groups of %d rows", groups, len(l.rows))
				}
				return nil
			},
		},
		{
			where:   "reward",
			pattern: `(.+?) \((\d+)/(\d+) \(100%\) logged advantages prove it\).*`,
			holds: func(l *rawLog, _ said, w []string) error {
				return firstError(count("rows with a logged advantage that differ", w[2], l.trains()), count("rows with a logged advantage that differ", w[3], l.trains()))
			},
		},
		{
			where:   "reward",
			pattern: `(.+?) \((?:assumed: all numeric columns, because nothing shows which are rewards|weights of 1 are assumed, because the log has no total)\).*`,
			holds: func(l *rawLog, _ said, w []string) error {
				names := strings.Split(w[1], " + ")
				for _, r := range l.rows {
					for _, name := range names {
						if _, found := r.parts[name]; !found || len(r.parts) != len(names) {
							return fmt.Errorf("the columns are %v", r.parts)
						}
					}
				}
				return nil
			},
		},
	}
}

// adviceClaims are those of what is said to be done.
func adviceClaims() []claim {
	return []claim{
		{
			where:   "do",
			pattern: `.*`,
			holds: func(_ *rawLog, s said, _ []string) error { // what it says to do is of the illness whose title and evidence hold
				for _, k := range diagnosis.Kinds() {
					if string(k.Name) == s.finding.text("kind") && k.Advice == s.text {
						return nil
					}
				}
				switch kind := diagnosis.Kind(s.finding.text("kind")); { // which have more than one
				case kind == diagnosis.Saturated && strings.HasPrefix(s.text, "stop here or take harder prompts"),
					kind == diagnosis.GraderOutage && strings.HasPrefix(s.text, "mend the reward function"),
					kind == diagnosis.Forgetting && strings.HasPrefix(s.text, "find what these prompts share") && !strings.Contains(s.finding.text("title"), "reward of source "),
					kind == diagnosis.RewardCollapse && s.finding.text("severity") == "watch" && strings.HasPrefix(s.text, "look first whether the prompts became harder"):
					return nil
				}
				return fmt.Errorf("it is not of %s", s.finding.text("kind"))
			},
		},
		{
			where:   "advice",
			pattern: `an evaluation: nothing here trains, so there is nothing to set`,
			holds: func(l *rawLog, _ said, _ []string) error {
				if !l.evaluates {
					return fmt.Errorf("it trains")
				}
				return nil
			},
		},
		{
			where:   "advice",
			pattern: `dynamic sampling \((?:--group-filter|C)\) would skip ` + num + ` of groups; to refill them costs ` + num + `× generation, .*`,
			holds:   equalShareIs,
		},
		{
			where:   "advice",
			pattern: `too early to tell: ` + num + ` complete steps? with ` + num + ` groups?; ` + num + ` of groups carry signal`,
			holds: func(l *rawLog, s said, w []string) error {
				return firstError(count("steps", w[1], len(l.steps())), count("groups", w[2], len(l.groups(s.first, s.last))), signalIs(3)(l, s, w))
			},
		},
		{
			where: "advice", seldom: true,
			pattern: num + ` of ` + num + ` kinds that samples can show could not be looked for; ` + num + ` of groups carry signal`,
			holds: func(l *rawLog, s said, w []string) error {
				if blind := int(saidNumber(w[1])); blind > l.blind || blind > int(saidNumber(w[2])) {
					return fmt.Errorf("%d of all kinds could not", l.blind)
				}
				return signalIs(3)(l, s, w)
			},
		},
		{
			where: "advice", seldom: true,
			pattern: `nothing to change: ` + num + ` of groups carry signal`,
			holds:   signalIs(1),
		},
		{
			where: "advice",
			pattern: `read answers of steps? ` + step + `(?:(?:–|, )` + step + `)? first: (?:` + alikeSaid + `|empty answers); ` + num +
				` groups? without signal`,
			holds: func(l *rawLog, s said, w []string) error {
				s.first, s.last = stepsOf(w[1], w[2])
				fates, groups := l.fates(s.first, s.last)
				return firstError(count("groups without signal", w[5], groups-fates["alive"]), beginAlike(l, s, w[3]))
			},
		},
		{
			where:   "advice",
			pattern: `the numbers are not those of the log at ` + num + ` of samples: .*`,
			holds: func(l *rawLog, _ said, w []string) error {
				if len(l.rows) == 0 || math.IsNaN(l.rows[0].advantage) {
					return fmt.Errorf("no advantage is logged")
				}
				if saidNumber(w[1]) <= 0.5 {
					return fmt.Errorf("that is no more than half")
				}
				return nil
			},
		},
		{
			where:   "advice",
			pattern: num + ` of groups have one sample, .*`,
			holds: func(l *rawLog, s said, w []string) error {
				fates, groups := l.fates(s.first, s.last)
				return same("single groups", w[1], float64(fates["single"])/float64(groups))
			},
		},
		{
			where:   "advice",
			pattern: `no group carries signal: every group has equal rewards, .*`,
			holds: func(l *rawLog, s said, _ []string) error {
				fates, groups := l.fates(s.first, s.last)
				return count("groups of equal rewards", strconv.Itoa(groups), fates["all wrong"]+fates["all correct"]+fates["all equal"])
			},
		},
		{
			where:   "advice",
			pattern: `each prompt has one sample, .*`,
			holds: func(l *rawLog, s said, _ []string) error {
				if _, groups := l.fates(s.first, s.last); groups != len(l.rows) {
					return fmt.Errorf("%d groups of %d rows", groups, len(l.rows))
				}
				return nil
			},
		},
		{
			where:   "advice",
			pattern: num + ` of all rewards are NaN or missing: .*`,
			holds: func(l *rawLog, _ said, w []string) error {
				_, n := meanOf(l.rows, rewardOf)
				return same("rewards that are no numbers", w[1], 1-float64(n)/float64(len(l.rows)))
			},
		},
		{
			where:   "advice",
			pattern: `the log ends within a group: its one row .*`,
			holds: func(l *rawLog, s said, _ []string) error {
				if g := l.groups(s.last, s.last); len(g[len(g)-1].rows) != 1 {
					return fmt.Errorf("the last group has %d rows", len(g[len(g)-1].rows))
				}
				return nil
			},
		},
		{
			where: "advice", seldom: true,
			pattern: `([a-z ]+?) (?:since|steps?) .*?: (.*)`,
			holds: func(l *rawLog, _ said, w []string) error { // its title and evidence say what
				if len(l.findings) == 0 || strings.ReplaceAll(l.findings[0].text("kind"), "_", " ") != w[1] || !strings.HasPrefix(l.findings[0].text("advice"), strings.TrimSuffix(w[2], "…")) {
					return fmt.Errorf("the worst finding is another")
				}
				return nil
			},
		},
	}
}

// lengthsSaid is how long answers usually are, and how long they are at the worst steps.
const lengthsSaid = `(?:, answers ` + num + ` → ` + num + ` \w+)?`

func lengthsAre(l *rawLog, s said, was, is string) error {
	if was == "" {
		return nil
	}
	length := func(r *rawRow) float64 {
		if r.tokens > 0 {
			return lengthOf(r)
		}
		return float64(len([]rune(r.answer)))
	}
	mean, _ := meanOf(l.within(s.first, s.last), length)
	return firstError(same("the usual length", was, l.usual(length)), same("the mean length", is, mean))
}

// causeClaims are those of why steps are worst.
func causeClaims() []claim {
	return []claim{
		{
			where:   "cause",
			pattern: `(all wrong|all correct|all equal|invalid|single) \(` + num + ` of ` + num + ` groups?\)` + lengthsSaid,
			holds: func(l *rawLog, s said, w []string) error {
				return firstError(fateIs(l, s, w[1], w[2], w[3]), lengthsAre(l, s, w[4], w[5]))
			},
		},
		{
			where:   "cause",
			pattern: `groups of one sample: single \(` + num + ` of ` + num + ` groups?\)`,
			holds:   func(l *rawLog, s said, w []string) error { return fateIs(l, s, "single", w[1], w[2]) },
		},
		{
			where: "cause", seldom: true,
			pattern: num + ` of ` + num + ` groups without signal: (.*)`,
			holds: func(l *rawLog, s said, w []string) error {
				fates, groups := l.fates(s.first, s.last)
				err := firstError(count("groups", w[2], groups), count("groups without signal", w[1], groups-fates["alive"]))
				for _, part := range strings.Split(w[3], ", ") {
					n, fate, _ := strings.Cut(part, " ")
					err = firstError(err, count(fate, n, fates[fate]))
				}
				return err
			},
		},
		{
			where:   "cause",
			pattern: `(?:empty answers|` + alikeSaid + `)` + lengthsSaid + `, all wrong \(` + num + ` of ` + num + ` groups?\)`,
			holds: func(l *rawLog, s said, w []string) error {
				atFirst := said{text: s.text, first: s.first, last: s.first}
				return firstError(
					fateIs(l, s, "all wrong", w[5], w[6]), lengthsAre(l, s, w[3], w[4]), beginAlike(l, atFirst, w[1]), beginSome(l, s, w[2]),
				)
			},
		},
		{
			where: "cause", seldom: true,
			pattern: `the reward is only ` + num + ` \(usually ` + num + `\).*`,
			holds: func(l *rawLog, s said, w []string) error {
				mean, _ := meanOf(l.within(s.first, s.last), rewardOf)
				return firstError(same("the mean reward", w[1], mean), same("the usual reward", w[2], l.usual(rewardOf)))
			},
		},
		{
			where: "cause", seldom: true,
			pattern: num + ` of ` + num + ` rewards are NaN or missing`,
			holds:   countsInvalid,
		},
		{
			where: "cause", seldom: true,
			pattern: `answers (?:shrink to ` + num + ` \w+ \(usually ` + num + `\)|cut off at the length limit), all wrong \(` + num + ` of ` + num + ` groups?\)`,
			holds: func(l *rawLog, s said, w []string) error {
				mean, _ := meanOf(l.within(s.first, s.last), lengthOf)
				err := fateIs(l, s, "all wrong", w[3], w[4])
				if w[1] != "" {
					err = firstError(err, same("the mean length", w[1], mean), same("the usual length", w[2], l.usual(lengthOf)))
				}
				return err
			},
		},
	}
}

// warningClaims are those of warnings, by their kind.
func warningClaims() []claim {
	return []claim{
		{
			where: "warning", of: string(analysis.WarnLoggedDiffers),
			pattern: num + ` of ` + num + ` samples have a logged advantage that differs from .*`,
			holds:   countsLogged,
		},
		{
			where: "warning", of: string(analysis.WarnAnswersAlike),
			pattern: num + ` of ` + num + ` groups are all wrong, and their answers alike: (?:empty answers|` + alikeSaid + `), ` + num + ` of ` + num + ` that were read`,
			holds: func(l *rawLog, s said, w []string) error {
				if strings.Contains(s.text, "to all") && w[5] != w[6] {
					return fmt.Errorf("it is one of most, not of all")
				}
				return firstError(fateIs(l, s, "all wrong", w[1], w[2]), beginAlike(l, s, w[3]), beginSome(l, s, w[4]))
			},
		},
		{
			where: "warning", of: string(analysis.WarnInvalidRewards),
			pattern: num + ` of ` + num + ` samples have (?:a NaN or infinite|no usable) reward.*`,
			holds:   countsInvalid,
		},
		{
			where: "warning", of: string(analysis.WarnSingleSampleGroups),
			pattern: num + ` of ` + num + ` groups have only one sample, .*`,
			holds:   func(l *rawLog, s said, w []string) error { return fateIs(l, s, "single", w[1], w[2]) },
		},
		{
			where: "warning", of: string(analysis.WarnAssumedRewards),
			pattern: num + ` of ` + num + ` samples have the sum of all .* as reward, .*`,
			holds: func(l *rawLog, s said, w []string) error {
				n := len(l.within(s.first, s.last))
				return firstError(count("samples", w[1], n), count("samples", w[2], n))
			},
		},
		{
			where: "warning", of: string(analysis.WarnPartsMissing),
			pattern: num + ` of ` + num + ` samples lack (\S+), which others of their group have: their reward is the sum without it`,
			holds: func(l *rawLog, s said, w []string) error {
				n, rows := 0, l.within(s.first, s.last)
				for _, r := range rows {
					n += model.Count01(math.IsNaN(r.parts[w[3]]))
				}
				return firstError(count("samples without it", w[1], n), count("samples", w[2], len(rows)))
			},
		},
		{
			where: "warning", of: string(analysis.WarnGroupingDoubt),
			pattern: num + ` of ` + num + ` groups have a multiple of the usual ` + num + ` samples: .*`,
			holds: func(l *rawLog, s said, w []string) error {
				n, usual, groups := 0, int(saidNumber(w[3])), l.groups(s.first, s.last)
				for _, g := range groups {
					n += model.Count01(len(g.rows) > usual && len(g.rows)%usual == 0)
				}
				return firstError(count("such groups", w[1], n), count("groups", w[2], len(groups)))
			},
		},
	}
}

// blindClaims are those of what cannot be told.
func blindClaims() []claim {
	return []claim{
		{
			where: "blind", seldom: true,
			pattern: `the log names no sources, and prompts come again too seldom`,
			holds: func(l *rawLog, _ said, _ []string) error {
				steps, often := map[string]map[int64]bool{}, 0
				for _, r := range l.rows {
					if r.source != "" {
						return fmt.Errorf("there is source %s", r.source)
					}
					if steps[r.prompt] == nil {
						steps[r.prompt] = map[int64]bool{}
					}
					steps[r.prompt][r.step] = true
				}
				for _, in := range steps {
					often += model.Count01(len(in) >= 4)
				}
				if often >= 12 { // two of four visits are before three quarters of the run, or in its second half
					return fmt.Errorf("%d prompts come in 4 steps", often)
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: `they need the trainer's metrics .*`,
			holds: func(l *rawLog, _ said, _ []string) error {
				if len(l.metrics) > 0 {
					return fmt.Errorf("there are %v", l.metrics)
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: num + ` steps?: a gain needs 50`,
			holds: func(l *rawLog, _ said, w []string) error {
				if n := len(l.steps()); n >= 50 || n != int(saidNumber(w[1])) {
					return fmt.Errorf("there are %d steps", n)
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: `the log has no advantages`,
			holds: func(l *rawLog, _ said, _ []string) error {
				if slices.ContainsFunc(l.rows, func(r rawRow) bool { return r.advantage != 0 && r.advantage == r.advantage }) {
					return fmt.Errorf("it has some")
				}
				return nil
			},
		},
		{
			where: "blind", seldom: true,
			pattern: `fewer than 6 groups have 3 answers that were read`,
			holds: func(l *rawLog, s said, _ []string) error {
				n := 0
				for _, g := range l.groups(s.first, s.last) {
					n += model.Count01(!slices.ContainsFunc(g.rows, func(r rawRow) bool { return strings.TrimSpace(r.answer) == "" }) && len(g.rows) >= 3)
				}
				if n >= 6 && len(l.rows) < 512 {
					return fmt.Errorf("%d groups have", n)
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: `(no answer that was read comes twice in a group, .*)|fewer than 3 of the answers .*`,
			holds: func(l *rawLog, s said, w []string) error {
				again := 0
				for _, g := range l.groups(s.first, s.last) {
					seen := map[string]bool{}
					for _, r := range g.rows {
						again += model.Count01(seen[r.answer] && strings.TrimSpace(r.answer) != "")
						seen[r.answer] = true
					}
				}
				if most := map[bool]int{true: 0, false: 2}[w[1] != ""]; again > most && len(l.rows) <= 512 { // of more it reads a part
					return fmt.Errorf("%d come again", again)
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: `the log has neither several reward columns nor texts`,
			holds:   noRow(func(r *rawRow) bool { return len(r.parts) > 1 || strings.TrimSpace(r.answer) != "" }),
		},
		{
			where:   "blind",
			pattern: `evaluations may ask the same prompts each time`,
			holds: func(l *rawLog, _ said, _ []string) error {
				if !l.evaluates {
					return fmt.Errorf("it trains")
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: `the log has no prompts`,
			holds:   noRow(func(r *rawRow) bool { return len(r.prompt) > 3 }),
		},
		{
			where:   "blind",
			pattern: `the log has (?:no|neither token counts nor) texts that can be read, or only empty ones`,
			holds:   noRow(func(r *rawRow) bool { return strings.TrimSpace(r.answer) != "" }),
		},
		{
			where:   "blind",
			pattern: `the log has no lengths above 0`,
			holds:   noRow(func(r *rawRow) bool { return r.tokens > 0 || r.answer != "" }),
		},
		{
			where:   "blind",
			pattern: num + ` steps?: a change needs 6`,
			holds:   tooFewSteps,
		},
		{
			where:   "blind",
			pattern: `no column tells which answers are right`,
			holds: func(l *rawLog, _ said, _ []string) error {
				for name := range l.rows[0].parts {
					isVerdict := !slices.ContainsFunc(l.rows, func(r rawRow) bool { x, has := r.parts[name]; return !has || x != 0 && x != 1 })
					saysWhatIsRight := slices.ContainsFunc([]string{"accuracy", "correct", "solved"}, func(word string) bool { return strings.Contains(name, word) })
					if isVerdict && saysWhatIsRight {
						return fmt.Errorf("%s is 0 or 1 in every row", name)
					}
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: `the log names no sources`,
			holds: func(l *rawLog, _ said, _ []string) error {
				if slices.ContainsFunc(l.rows, func(r rawRow) bool { return r.source != l.rows[0].source }) {
					return fmt.Errorf("it names several")
				}
				return nil
			},
		},
		{
			where:   "blind",
			pattern: `the log has no columns next to the reward`,
			holds:   noRow(func(r *rawRow) bool { return len(r.parts) > 1 }),
		},
		{
			where:   "blind",
			pattern: `the log has prompts but no group ids`,
			holds:   noRow(func(r *rawRow) bool { return !strings.HasPrefix(r.group, r.prompt) }),
		},
	}
}

// illnessClaims are those of titles of findings, by their kind, and their evidence.
func illnessClaims() []claim {
	return []claim{
		{
			where: "title", of: string(diagnosis.EngineMismatch),
			pattern: `sampler and trainer differ with the same weights: mean \|d\| is ` + num + ` nats at the first step, where nothing is stale(?:, .*)?`,
			holds: func(l *rawLog, s said, w []string) error {
				gap, _ := meanOf(l.within(s.first, s.first), func(r *rawRow) float64 { return r.gap })
				return same("the mean difference of log-probs at the first step", w[1], gap)
			},
		},
		{
			where: "title", of: string(diagnosis.NoRightAnswer), seldom: true,
			pattern: num + ` of the groups that train hold no right answer: their rewards differ by the (\S+) alone`,
			holds: func(l *rawLog, s said, w []string) error {
				x, _, _ := l.figureOf("groups that train without a right answer", s.first, s.last)
				return firstError(nearly("the share", w[1], x), l.rewardsFollow(w[2], s.first, s.last))
			},
		},
		{
			where: "title", of: string(diagnosis.GraderNoise), seldom: true,
			pattern: `equal final answers are graded both right and wrong in ` + num + ` of ` + num + ` groups that have some, as “(.*)”: those graded wrong are mostly longer`,
			holds:   bothWays,
		},
		{
			where:   "evidence",
			pattern: `(.+?) (?:` + num + ` → )?` + num + ` \(steps (?:` + step + `(?:–` + step + `)? against )?` + step + `(?:–` + step + `)?, ` + num + `(?: and ` + num + `)? \w+(?: each)?\)`,
			holds:   evidenceHolds,
		},
		{
			where: "title", of: string(diagnosis.GraderOutage), seldom: true,
			pattern: num + ` of rewards are NaN or missing`,
			holds:   saysItsEvidence,
		},
		{
			where: "title", of: string(diagnosis.GraderOutage), seldom: true,
			pattern: `reward is ` + num + ` for every sample(?: of (\d+) steps)?`,
			holds: func(l *rawLog, s said, w []string) error {
				steps := map[int64]bool{}
				for _, r := range l.within(s.first, s.last) {
					steps[r.step] = true
					if err := same("a reward", w[1], r.reward); err != nil {
						return err
					}
				}
				if w[2] != "" {
					return count("steps", w[2], len(steps))
				}
				return nil
			},
		},
		{
			where: "title", of: string(diagnosis.ToolFailure),
			pattern: `in ` + num + ` of the answers with results of tools some are errors`,
			holds: func(l *rawLog, s said, w []string) error {
				is, _ := l.ofSome(failedTools, "", s.first, s.last)
				if math.Abs(is-saidNumber(w[1])) > 0.1 {
					return fmt.Errorf("in %.2f of them", is)
				}
				return nil
			},
		},
		{
			where: "title", of: string(diagnosis.LengthCollapse), seldom: true,
			pattern: `answers shrink from .* to .*`,
			holds:   both(saysItsEvidence, turns(-1, lengthOf)),
		},
		{
			where: "title", of: string(diagnosis.LengthExplosion), seldom: true,
			pattern: `answers grow from .* to .*, and (?:the reward does not gain|the reward gains little|the gain of the reward comes later)`,
			holds:   both(saysItsEvidence, turns(1, lengthOf)),
		},
		{
			where: "title", of: string(diagnosis.RewardCollapse), seldom: true,
			pattern: `the reward falls from .* to .* and stays there`,
			holds:   both(saysItsEvidence, turns(-1, rewardOf)),
		},
		{
			where: "title", seldom: true,
			pattern: `reward ` + num + ` → ` + num + ` → ` + num,
			holds: func(l *rawLog, s said, w []string) error { // of what is over
				before, _ := meanOf(l.within(math.MinInt64, s.first-1), rewardOf)
				during, _ := meanOf(l.within(s.first, s.last), rewardOf)
				after, _ := meanOf(l.within(s.last+1, math.MaxInt64), rewardOf)
				isBeyond := during >= before || during >= after
				isNear := func(mean float64, said string) bool { return math.Abs(mean-saidNumber(said)) <= 0.15 }
				if isBeyond || !isNear(before, w[1]) || !isNear(during, w[2]) || !isNear(after, w[3]) {
					return fmt.Errorf("the means are %.3g, %.3g and %.3g", before, during, after)
				}
				return nil
			},
		},
		{
			where: "title", of: string(diagnosis.FallByHalf), seldom: true,
			pattern: `the reward falls from ` + num + ` to ` + num + ` and has not regained it: ` + num + ` of its height is lost`,
			holds: func(l *rawLog, s said, w []string) error {
				least, _ := l.extremes()
				from, to := saidNumber(w[1]), saidNumber(w[2])
				if lost := (from - to) / (from - least); math.Abs(lost-saidNumber(w[3])) > 0.02 {
					return fmt.Errorf("%.2f of its height is", lost)
				}
				return turns(-1, rewardOf)(l, s, w)
			},
		},
		{
			where: "title", of: string(diagnosis.NotLearning), seldom: true,
			pattern: `the reward gains nothing: reward (\S+) .*`,
			holds: func(l *rawLog, _ said, w []string) error {
				steps := l.steps()
				third := len(steps) / 3
				before, _ := meanOf(l.within(steps[0], steps[third-1]), rewardOf)
				after, _ := meanOf(l.within(steps[len(steps)-third], steps[len(steps)-1]), rewardOf)
				return same("the gain", w[1], after-before)
			},
		},
		{
			where: "title", of: string(diagnosis.AnswerCollapse), seldom: true,
			pattern: `the answers to one prompt become one: .*`,
			holds: func(l *rawLog, s said, _ []string) error {
				distinct := func(first, last int64) (share float64) {
					groups := l.groups(first, last)
					for _, g := range groups {
						texts := map[string]bool{}
						for _, r := range g.rows {
							texts[r.answer] = true
						}
						share += float64(len(texts)) / float64(len(g.rows)) / float64(len(groups))
					}
					return share
				}
				if before, after := distinct(math.MinInt64, s.first-1), distinct((s.first+s.last)/2, s.last); after > before/2 {
					return fmt.Errorf("%.2f of a group were distinct, now %.2f", before, after)
				}
				return nil
			},
		},
		{
			where: "title", of: string(diagnosis.DegenerateText), seldom: true,
			pattern: num + ` of answers are garbled: .*`,
			holds:   saysItsEvidence,
		},
		{
			where: "title", of: string(diagnosis.Forgetting), seldom: true,
			pattern: `the reward of .* falls from .* to .* while the (?:whole goes|others go) from .* to .*`,
			holds:   saysItsEvidence,
		},
		{
			where: "title", of: string(diagnosis.GraderNoise), seldom: true,
			pattern: num + ` of answers that come several times in a group are graded in several ways`,
			holds: func(l *rawLog, s said, w []string) error {
				n, differ := 0, 0
				for _, g := range l.groups(s.first, s.last) {
					texts := map[string][]float64{}
					for _, r := range g.rows {
						texts[r.prompt+"\n"+r.answer] = append(texts[r.prompt+"\n"+r.answer], r.reward)
					}
					for _, rewards := range texts {
						if len(rewards) > 1 {
							n++
							differ += model.Count01(slices.Min(rewards) < slices.Max(rewards))
						}
					}
				}
				if share := float64(differ) / float64(n); math.Abs(share-saidNumber(w[1])) > 0.1 { // of the answers that were read
					return fmt.Errorf("%.2f of %d are", share, n)
				}
				return nil
			},
		},
		{
			where: "title", of: string(diagnosis.NewPhrase), seldom: true,
			pattern: `a new phrase is in .* of answers, which get .* where .* (?:get|got) .*`,
			holds:   saysItsEvidence,
		},
		{
			where: "title", of: string(diagnosis.GroupMixup), seldom: true,
			pattern: num + ` of groups hold answers to several prompts`,
			holds: func(l *rawLog, s said, w []string) error {
				x, _, _ := l.figureOf("groups of several prompts", s.first, s.last)
				return same("the share", w[1], x)
			},
		},
		{
			where: "title", of: string(diagnosis.RewardHacking), seldom: true,
			pattern: `(\S+) rises from .* to .* while (\S+) falls from .* to .*`,
			holds: func(l *rawLog, s said, w []string) error {
				if err := saysItsEvidence(l, s, w); err != nil {
					return err
				}
				part := func(name string) func(*rawRow) float64 { return func(r *rawRow) float64 { return r.parts[name] } }
				return firstError(turns(1, part(w[1]))(l, s, nil), turns(-1, part(w[2]))(l, s, nil))
			},
		},
		{
			where: "title", of: string(diagnosis.Saturated), seldom: true,
			pattern: num + ` of groups are all right: nothing is left to learn from them`,
			holds:   shareOf("all correct"),
		},
		{
			where: "title", of: string(diagnosis.TooHard), seldom: true,
			pattern: num + ` of groups are all wrong: the model learns nothing from them(?:; it is over)?`,
			holds:   shareOf("all wrong"),
		},
		{
			where: "title", of: string(diagnosis.EqualRewards), seldom: true,
			pattern: num + ` of groups have equal rewards: within them no answer is better than another`,
			holds:   shareOf(equalFates()...),
		},
		{
			where: "title", of: string(diagnosis.StuckData), seldom: true,
			pattern: num + ` steps in a row have the prompts of the step before`,
			holds: func(_ *rawLog, s said, w []string) error {
				n := int64(saidNumber(w[1]))
				if s.last-s.first+1 != n {
					return fmt.Errorf("they are %d", s.last-s.first+1)
				}
				return nil
			},
		},
		{
			where: "title", of: string(diagnosis.Truncation), seldom: true,
			pattern: num + ` of answers end at the length limit .*`,
			holds:   saysItsEvidence,
		},
	}
}

// nearly is same, but for shares of which the longest of a step count by themselves.
func nearly(what, said string, is float64) error {
	if strings.HasSuffix(said, "%") && math.Abs(saidNumber(said)-is) < 0.02 { // the longest of a step count by themselves
		return nil
	}
	return same(what, said, is)
}

// evidenceHolds holds if the figures of an evidence are those of the rows, before and after.
func evidenceHolds(l *rawLog, s said, w []string) error {
	title := s.finding.text("title")
	span := func(from, to string) (int64, int64) {
		a, _ := strconv.ParseInt(from, 10, 64)
		b, err := strconv.ParseInt(to, 10, 64)
		if err != nil {
			b = a
		}
		return a, b
	}
	name, before, after := w[1], w[2], w[3]
	first, last := span(w[6], w[7])
	x, n, known := l.figureOf(name, first, last)
	if x, read := l.ofSome(name, title, first, last); read {
		near := 0.15
		if strings.HasPrefix(name, "reward of prompts ") {
			near = 0.2 // of half of their visits, which are few
		}
		if math.Abs(x-saidNumber(after)) > near {
			return fmt.Errorf("after it is %.2f of all", x)
		}
		first, last = span(w[4], w[5])
		if x, _ = l.ofSome(name, title, first, last); before != "" && math.Abs(x-saidNumber(before)) > near {
			return fmt.Errorf("before it is %.2f of all", x)
		}
		return nil
	} else if !known {
		return fmt.Errorf("nothing here knows this figure")
	}
	afterCount := w[9]
	if afterCount == "" {
		afterCount = w[8]
	}
	err := firstError(nearly("the figure after", after, x), count(name+" after", afterCount, n))
	if before != "" {
		first, last = span(w[4], w[5])
		x, n, _ = l.figureOf(name, first, last)
		err = firstError(err, nearly("the figure before", before, x), count(name+" before", w[8], n))
	}
	return err
}

// tooFewSteps holds if there are so many steps, and fewer than a change needs.
func tooFewSteps(l *rawLog, _ said, w []string) error {
	if n := len(l.steps()); n != int(saidNumber(w[1])) || n >= 6 {
		return fmt.Errorf("there are %d steps", n)
	}
	return nil
}

// equalShareIs holds if so many groups have equal rewards, and to refill them costs so much.
func equalShareIs(l *rawLog, s said, w []string) error {
	fates, groups := l.fates(s.first, s.last)
	equal := fates["all wrong"] + fates["all correct"] + fates["all equal"]
	return firstError(same("the share of equal rewards", w[1], float64(equal)/float64(groups)), oneDigit("the cost", w[2], float64(groups)/float64(groups-equal)))
}

// signalIs holds if the share of groups that carry signal is word k.
func signalIs(k int) func(*rawLog, said, []string) error {
	return func(l *rawLog, s said, w []string) error {
		fates, groups := l.fates(s.first, s.last)
		return same("signal", w[k], float64(fates["alive"])/float64(groups))
	}
}

// countsLogged holds if so many rows have a logged advantage.
func countsLogged(l *rawLog, s said, w []string) error {
	n := 0
	for _, r := range l.within(s.first, s.last) {
		n += model.Count01(!math.IsNaN(r.advantage))
	}
	if differ := int(saidNumber(w[1])); differ < 1 || differ > n { // which it is only the estimator tells
		return fmt.Errorf("%d advantages are logged", n)
	}
	return count("logged advantages", w[2], n)
}

// countsInvalid holds if so many rewards are no numbers.
func countsInvalid(l *rawLog, s said, w []string) error {
	n, rows := 0, l.within(s.first, s.last)
	for _, r := range rows {
		n += model.Count01(math.IsNaN(r.reward))
	}
	return firstError(count("rewards that are no numbers", w[1], n), count("rewards", w[2], len(rows)))
}

// checkEmpty fails if another number of answers is empty.
func checkEmpty(l *rawLog, said string) error {
	n := 0
	for _, r := range l.rows {
		n += model.Count01(strings.TrimSpace(r.answer) == "" && r.tokens == 0)
	}
	if said == "" {
		return nil // a log that has no texts knows of no empty ones
	}
	return count("empty answers", said, n)
}

// checkCutOff fails if another number of answers was cut off.
func checkCutOff(l *rawLog, said string) error {
	n := 0
	for _, r := range l.rows {
		n += model.Count01(r.cutOff)
	}
	if said == "" && n == 0 {
		return nil
	}
	return count("answers that were cut off", said, n)
}

// checkResidue fails if fewer samples are at the mean of their group.
func checkResidue(l *rawLog, said string) error {
	_, atMean := l.movers()
	if n := int(saidNumber(said)); said != "" && (n > atMean || n == 0) {
		return fmt.Errorf("%d samples are at the mean of their group", atMean)
	}
	return nil
}
