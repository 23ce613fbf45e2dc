package tui

import (
	"context"
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/glance"
	"vantage/model/units"
)

// alikeAnswers knows of which steps the answers are alike. Few answers of few steps are read, in the background.
type alikeAnswers struct {
	known map[alikeKey]glance.Alike           // never written in place
	job   job[int, map[alikeKey]glance.Alike] // by how many steps were known before those that are read, and one more
}

// alikeKey is all that the answers to read depend on.
type alikeKey struct {
	step, revision int64
	set            model.Settings // of the reward and the groups alone: whose arithmetic the advantages are changes no answer
}

// alikePartSteps is of how many steps answers are read at once.
const alikePartSteps = 64

func (e env) alikeKey(s *analysis.StepFigures) alikeKey {
	now := e.settings.now
	set := model.Settings{
		Reward: now.Reward, Weights: now.Weights, SolvedAt: now.SolvedAt, Overlong: now.Overlong,
		GroupBy: now.GroupBy, NumGenerations: now.NumGenerations, Proved: now.Proved,
	}
	return alikeKey{s.Step, int64(s.Revision), set}
}

// alikeSteps returns what is known of the answers of all steps, by number, also of those whose answers are not alike.
func (e env) alikeSteps() map[int64]glance.Alike {
	found := map[int64]glance.Alike{}
	if e.result.trend == nil {
		return found
	}
	for i := range e.result.trend.Steps {
		s := &e.result.trend.Steps[i]
		if read, known := e.alike.known[e.alikeKey(s)]; known && glance.Suspect(s) {
			found[s.Step] = read
		}
	}
	return found
}

// firstAlike returns the warning of the first step whose answers are known to be alike. It looks at the steps
// that were read, which are few: a frame asks for it.
func (e env) firstAlike() (first analysis.FirstWarning, found bool) {
	steps := e.result.trend.Steps
	for key, alike := range e.alike.known {
		i, known := e.result.trend.Find(key.step)
		if !known || found && i >= first.StepIndex || e.alikeKey(&steps[i]) != key {
			continue
		}
		if w := alike.Warning(&steps[i], -1); w != nil {
			first, found = analysis.FirstWarning{Warning: *w, StepIndex: i}, true
		}
	}
	return first, found
}

// update requests to read answers: of the step on the screen if most of its groups are all wrong, and
// where the run is shown, at a glance or as a table of steps, of such steps of the run, the newest first.
func (s *alikeAnswers) update(e env, inView bool, c *commands, msg tea.Msg) {
	if s.job.take(c, msg) {
		known := maps.Clone(s.job.value)
		maps.Copy(known, s.known)
		s.known = known
	}
	key := len(s.known) + 1
	steps := s.unread(e, inView)
	if e.texts[0] == nil || len(steps) == 0 || !s.job.lacks(key, inTurn) {
		return
	}
	s.job.start(c, key, readAlike(e.snap, e.settings.now, steps, e.texts[0]))
}

// suspectParts are the steps on the screen whose answers may be alike.
func (e env) suspectParts() (all []*analysis.StepFigures) {
	for _, p := range e.result.analysis.Parts() {
		if glance.Suspect(&p.StepFigures) {
			all = append(all, &p.StepFigures)
		}
	}
	return all
}

// unreadText says of how many steps on the screen answers are still to be read, "" if none is.
func (e env) unreadText() string {
	parts, read := e.suspectParts(), 0
	for _, p := range parts {
		if _, known := e.alike.known[e.alikeKey(p)]; known {
			read++
		}
	}
	if read == len(parts) || e.texts[0] == nil {
		return ""
	}
	return fmt.Sprintf("reading answers (%d of %s)", read, units.Plural(len(parts), "steps"))
}

// unread are the steps, by their index, of which answers are to be read next.
func (s alikeAnswers) unread(e env, inView bool) map[int]alikeKey {
	wanted := map[int]alikeKey{}
	add := func(x *analysis.StepFigures) bool {
		key := e.alikeKey(x)
		i, found := e.snap.Find(x.Step)
		if _, known := s.known[key]; known || !found || int64(e.snap.Steps[i].Revision) != key.revision {
			return known
		}
		wanted[i] = key
		return true
	}
	for _, p := range e.suspectParts() {
		if len(wanted) < alikePartSteps {
			add(p)
		}
	}
	if !inView || e.result.trend == nil {
		return wanted
	}
	steps := e.result.trend.Steps
	most := glance.MostRead(e.snap.Run.Progress)
	for i, suspects := len(steps)-1, 0; i >= 0 && suspects < most && len(wanted) < alikePartSteps; i-- {
		if glance.Suspect(&steps[i]) && add(&steps[i]) {
			suspects++
		}
	}
	return wanted
}

func readAlike(snap model.Snapshot, set model.Settings, steps map[int]alikeKey, source TextReader) work[map[alikeKey]glance.Alike] {
	return once(func(ctx context.Context) (map[alikeKey]glance.Alike, error) {
		read := map[alikeKey]glance.Alike{}
		for _, i := range slices.Sorted(maps.Keys(steps)) {
			read[steps[i]] = glance.Alike{}
			x, err := analysis.Analyze(ctx, snap, i, set)
			if err != nil {
				continue
			}
			read[steps[i]] = glance.ReadAnswers(ctx, snap.Steps[i], x, analysis.ReadTextsOf(source))
		}
		return read, nil
	})
}

// alikeWarning returns the warning that the answers of the step on the screen are alike, or of steps among those on the screen; nil if
// they are not.
func (e env) alikeWarning() (first *model.Warning) {
	x := e.result.analysis
	if e.isWide() {
		found := e.alikeSteps()
		for _, p := range x.Parts() {
			w := found[p.Step].Warning(&p.StepFigures, -1)
			if w != nil && first == nil {
				w.Of, w.Text = x.Groups, fmt.Sprintf("are all wrong, and the answers of their step alike, first at step %d: %s", p.Step, found[p.Step])
				first = w
			} else if w != nil {
				first.Count += w.Count
			}
		}
		return first
	}
	if first = e.alike.known[e.alikeKey(&x.StepFigures)].Warning(&x.StepFigures, -1); first != nil {
		first.Example = slices.IndexFunc(x.Table, func(g analysis.Group) bool { return g.Fate == model.FateAllWrong })
	}
	return first
}
