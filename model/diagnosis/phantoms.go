package diagnosis

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/units"
)

// Groups that train though none of their answers is right: what lifts one above another is its length or its form.

// Limits of what groups without a right answer tell.
const (
	phantomFrom    = 0.25 // of the groups that train hold no right answer
	leastPhantoms  = 20   // groups
	phantomSteps   = 256  // that are looked at, spread over the run
	phantomFollows = 0.5  // is the correlation of their rewards with what they follow
	pileOf         = 0.02 // of the samples have a reward, if it means something: right, or wrong without a penalty
)

// phantoms are the groups of a step that train, and those of them without a right answer.
type phantoms struct {
	*evidence
	base    float64 // a reward of at most this is not right; NaN if a column says what is
	verdict int     // the column that says it, −1 if the reward does
	forms   []int   // reward columns that are about form
	length  product
	ofForms []product // by forms
	push    float64   // Σ|A| of all groups, as logged
	theirs  float64   // of those without a right answer
}

// product sums the products of what differs within groups.
type product struct{ xy, xx, yy float64 }

func (p *product) correlation() float64 { return p.xy / math.Sqrt(p.xx*p.yy) }

// phantomGroups finds groups that live by their length or form alone.
func phantomGroups(e *evidence) ([]Finding, string) {
	p := e.newPhantoms()
	if p == nil {
		return nil, ""
	}
	s, first := make(series, len(e.Steps)), Example{}
	for _, i := range spread(model.Indexes(len(e.Steps)), phantomSteps) {
		m, group, err := p.look(i)
		if err != nil {
			return nil, ""
		}
		if s[i] = m; first == (Example{}) && group >= 0 {
			first = Example{Step: e.Steps[i].Step, Group: e.groupName(i, group)}
		}
	}
	from := s.beyond(phantomFrom)
	after := s.pooled(from, len(s))
	follows := p.follows()
	if len(s)-from < leastSteps || after.Sum < leastPhantoms || after.mean() < phantomFrom || follows == "" {
		return nil, ""
	}
	f := e.finding(s, "groups that train without a right answer", from, len(s), true, "groups")
	f.Severity, f.Example = Watch, first
	f.Title = fmt.Sprintf("%s of the groups that train hold no right answer: their rewards differ by the %s",
		units.Share(after.mean()), follows)
	if p.push > 0 {
		f.Title += fmt.Sprintf(", and they hold %s of Σ|A|", units.Share(p.theirs/p.push))
	}
	return []Finding{f}, ""
}

// newPhantoms says how right answers are known; nil if they are not, or none is penalised, so that no such group can be told.
func (e *evidence) newPhantoms() *phantoms {
	p := &phantoms{evidence: e, base: math.NaN(), verdict: -1}
	scale := e.snap.RewardScales(e.set)[0]
	for c, name := range e.Parts {
		switch {
		case name == scale.Column && name != "":
			p.verdict = c
		case isStyle(name):
			p.forms = append(p.forms, c)
		}
	}
	p.ofForms = make([]product, len(p.forms))
	if p.verdict >= 0 {
		return p
	}
	top := e.topShare().pooled(0, len(e.Steps))
	if !(e.Low < 0 && e.High > 0) || top.mean() < pileOf {
		return nil
	}
	count, n := map[float64]int{}, 0
	for _, i := range spread(model.Indexes(len(e.Steps)), coarseSteps) {
		_, _, rewards, err := e.rewardsOf(i)
		if err != nil {
			continue
		}
		for _, x := range rewards {
			if n++; x <= 0 {
				count[x]++
			}
		}
	}
	p.base = model.MostCommon(count)
	if float64(count[p.base]) < pileOf*float64(n) {
		return nil
	}
	return p
}

// look counts the groups of step i that train, and those without a right answer, and returns one of these, −1 if there is none.
func (p *phantoms) look(i int) (m Moments, group int, err error) {
	s, group := &p.Steps[i], -1
	step := p.snap.Steps[s.Index]
	rows, offsets, rewards, err := p.rewardsOf(i)
	if err != nil {
		return m, group, err
	}
	for g := range s.Groups {
		if s.Groups[g].Fate != model.FateAlive {
			continue
		}
		lo, hi := offsets[g], offsets[g+1]
		isPhantom := p.noneRight(&step, rows[lo:hi], rewards[lo:hi])
		m.add(float64(model.Count01(isPhantom)))
		push := pushOf(&step, rows[lo:hi])
		p.push += push
		if isPhantom {
			p.theirs += push
			p.compare(&step, rows[lo:hi], rewards[lo:hi])
			group = g
		}
	}
	return m, group, nil
}

// noneRight reports whether no answer of a group is right.
func (p *phantoms) noneRight(step *model.Step, rows []int32, rewards []float64) bool {
	for k, row := range rows {
		isRight := rewards[k] > p.base
		if p.verdict >= 0 {
			column := step.Components[p.verdict]
			isRight = column == nil || column[row] == 1
		}
		if isRight {
			return false
		}
	}
	return true
}

// pushOf is Σ|A| of some rows, as logged; 0 if no advantages are.
func pushOf(step *model.Step, rows []int32) (sum float64) {
	if step.LoggedAdvantages == nil {
		return 0
	}
	for _, row := range rows {
		if a := math.Abs(float64(step.LoggedAdvantages[row])); units.IsFinite(a) {
			sum += a
		}
	}
	return sum
}

// compare adds what rewards of a group have in common with its lengths and its columns of form.
func (p *phantoms) compare(step *model.Step, rows []int32, rewards []float64) {
	add := func(to *product, of func(row int32) float64) {
		x, y := 0.0, 0.0
		for k, row := range rows {
			x, y = x+of(row)/float64(len(rows)), y+rewards[k]/float64(len(rows))
		}
		for k, row := range rows {
			dx, dy := of(row)-x, rewards[k]-y
			to.xy, to.xx, to.yy = to.xy+dx*dy, to.xx+dx*dx, to.yy+dy*dy
		}
	}
	add(&p.length, func(row int32) float64 { return float64(step.Lengths[row]) })
	for k, c := range p.forms {
		if column := step.Components[c]; column != nil {
			add(&p.ofForms[k], func(row int32) float64 { return column[row] })
		}
	}
}

// follows is what the rewards of groups without a right answer follow: "length", or a column; "" if nothing that is known.
func (p *phantoms) follows() string {
	name, most := "", phantomFollows
	if r := math.Abs(p.length.correlation()); r >= most {
		name, most = "length of answers", r
	}
	for k, c := range p.forms {
		if r := p.ofForms[k].correlation(); r >= most {
			name, most = p.Parts[c]+" alone", r
		}
	}
	return name
}
