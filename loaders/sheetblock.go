package loaders

import (
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
)

// texts reads prompts and ids of n rows.
func (s *sheet) texts(n int) (model.Block, error) {
	b := model.Block{Prompts: make([]model.Prompt, 1, 1+n/4), Groups: make([]string, 1)} // the first is none
	if s.prompt != nil {
		b.Prompt = make([]int32, n)
	}
	if s.id != nil {
		b.Group = make([]int32, n)
	}
	for i := range n {
		if err := s.ask(&b, i); err != nil {
			return b, err
		}
		if err := s.call(&b, i); err != nil {
			return b, err
		}
	}
	return b, nil
}

// ask numbers the prompt of row i: mostly it is that of the row before.
func (s *sheet) ask(b *model.Block, i int) error {
	if s.prompt == nil {
		return nil
	}
	same, err := s.prompt.advance()
	if err == nil && s.truth != nil {
		var also bool
		also, err = s.truth.advance()
		same = same && also
	}
	if err != nil {
		return err
	}
	if same && i > 0 {
		b.Prompt[i] = b.Prompt[i-1]
		return nil
	}
	asked, truth := s.prompt.value(), s.truth.value()
	s.rows.note.HasTruth = s.rows.note.HasTruth || asked.Kind != Absent && truth.Kind != Absent
	s.use(RolePrompt, asked.Kind != Absent)
	s.use(RoleTruth, truth.Kind != Absent)
	if found := s.rows.Prompts.Get(asked, truth); found.Hash != 0 {
		b.Prompts = append(b.Prompts, model.Prompt{Hash: found.Hash, Preview: found.Preview})
		b.Prompt[i] = int32(len(b.Prompts) - 1)
	}
	return nil
}

// call numbers the group that row i says it is of, where that is a text.
func (s *sheet) call(b *model.Block, i int) error {
	if s.id == nil {
		return nil
	}
	same, err := s.id.advance()
	switch {
	case err != nil:
		return err
	case same && i > 0:
		b.Group[i] = b.Group[i-1]
	case s.id.ok && len(s.id.text) > 0:
		s.use(RoleGroup, true)
		b.Groups = append(b.Groups, s.rows.GroupID(s.id.value(), s.rows.ranks[RoleGroup]))
		b.Group[i] = int32(len(b.Groups) - 1)
	}
	return nil
}

// use notes that a role is played, as rows.learn does.
func (s *sheet) use(as Role, yes bool) {
	if yes && s.rows.Used[as] == "" {
		s.rows.Used[as] = s.rows.fieldName(as)
	}
}

// fill makes the columns of a block of n rows of figures. Nothing is learned from rows
// that turn out to be odd.
func (s *sheet) fill(b *model.Block, n int) error {
	if !s.proper(n) {
		return errOdd
	}
	s.unit(n)
	b.Offset = make([]int64, n)
	for i := range b.Offset {
		b.Offset[i] = s.row + int64(i)
	}
	b.Step = s.steps(n)
	b.Length = s.lengths(n)
	if l := s.figures[RoleGroup]; l != nil {
		s.numberedGroups(b, l, n)
	}
	if l := s.figures[RoleAdvantage]; l != nil {
		b.Advantage = slices.Clone(l.values[:n])
		s.use(RoleAdvantage, true)
	}
	s.meet(n)
	b.Parts = s.columns(n)
	b.Reward = s.rewards(b, n)
	return nil
}

// proper reports whether n rows mean what they mean row by row: steps and lengths are
// whole numbers or nulls, and every row is a sample.
func (s *sheet) proper(n int) bool {
	if l := s.figures[RoleStep]; l != nil && !l.all(n, whole) {
		return false
	}
	if l := s.figures[RoleLength]; l != nil && (!l.all(n, countable) || l.first(n) > 0 && s.rows.note.LengthUnit != model.LengthTokens) {
		return false
	}
	if s.figures[RoleReward] != nil {
		return true
	}
	for i := range n { // without a reward of its own a row may hold nothing
		if !s.said(i) {
			return false
		}
	}
	return true
}

// all reports whether all figures of n that are none nulls are so.
func (l *lane) all(n int, so func(float64) bool) bool {
	for i := range n {
		if x, ok := l.at(i); ok && !so(x) {
			return false
		}
	}
	return true
}

func countable(x float64) bool { return whole(x) && x > 0 && x <= math.MaxInt32 }

// said reports whether row i has a response, or a figure of a reward function.
func (s *sheet) said(i int) bool {
	if l := s.figures[RoleResponse]; l != nil {
		if _, ok := l.at(i); ok {
			return true
		}
	}
	for _, l := range s.parts {
		if x, ok := l.at(i); ok && x == x && !IsBaseline(s.name(l)) && !strings.HasPrefix(s.name(l), MetricsPrefix) {
			return true
		}
	}
	return false
}

func (s *sheet) name(l *lane) string { return s.file.Columns[l.column].Name }

// unit settles what lengths count, by the first row that has one.
func (s *sheet) unit(n int) {
	note := &s.rows.note
	if l := s.figures[RoleLength]; l != nil && l.first(n) < n {
		note.LengthUnit = model.LengthTokens
	}
	if l := s.figures[RoleResponse]; l != nil && l.first(n) < n {
		s.use(RoleResponse, true)
		if note.LengthUnit == model.LengthUnknown {
			note.LengthUnit = model.LengthCharacters
		}
	}
}

func (s *sheet) steps(n int) []int64 {
	steps := make([]int64, n)
	for i := range steps {
		steps[i] = s.rows.FileStep
		if l := s.figures[RoleStep]; l != nil {
			if x, ok := l.at(i); ok {
				steps[i] = int64(x)
				s.use(RoleStep, true)
			}
		}
	}
	return steps
}

func (s *sheet) lengths(n int) []int32 {
	l := s.figures[RoleResponse]
	if s.figures[RoleLength] != nil {
		l = s.figures[RoleLength]
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = -1
		if l != nil {
			if x, ok := l.at(i); ok {
				all[i] = int32(min(x, math.MaxInt32))
			}
		}
	}
	return all
}

// numberedGroups names groups that the log has numbers for.
func (s *sheet) numberedGroups(b *model.Block, l *lane, n int) {
	b.Group = make([]int32, n)
	before := math.NaN()
	for i := range n {
		x, ok := l.at(i)
		switch {
		case !ok:
			continue
		case x != before || i == 0 || b.Group[i-1] == 0:
			s.use(RoleGroup, true)
			b.Groups = append(b.Groups, s.rows.GroupID(FromFloat(x).Literal(), s.rows.ranks[RoleGroup]))
			before = x
		}
		b.Group[i] = int32(len(b.Groups) - 1)
	}
}

// meet gives the reward functions that have not been met before their places, in the
// order of the rows in which they first gave something.
func (s *sheet) meet(n int) {
	for {
		var next *lane
		for _, l := range s.parts {
			if _, known := s.rows.Components.Index[s.name(l)]; !known && l.first(n) < n && (next == nil || l.first(n) < next.first(n)) {
				next = l
			}
		}
		if next == nil || len(s.rows.Components.Names) >= MaxComponents {
			return
		}
		s.rows.Components.Set(s.name(next), FromFloat(0))
	}
}

// columns are what the reward functions gave.
func (s *sheet) columns(n int) [][]float64 {
	all := make([][]float64, len(s.rows.Components.Names))
	for _, l := range s.parts {
		if at, ok := s.rows.Components.Index[s.name(l)]; ok {
			all[at] = slices.Clone(l.values[:n])
		}
	}
	for i, part := range all {
		if part == nil { // of another row group than before
			all[i] = slices.Repeat([]float64{math.NaN()}, n)
		}
	}
	return all
}

// rewards are those of the log, or the sums of what the reward functions gave.
func (s *sheet) rewards(b *model.Block, n int) []float64 {
	if l := s.figures[RoleReward]; l != nil {
		s.use(RoleReward, true)
		rewards := slices.Clone(l.values[:n])
		for i := range rewards {
			if _, ok := l.at(i); !ok {
				rewards[i] = estimators.MissingReward()
			}
		}
		return rewards
	}
	rewards := slices.Repeat([]float64{estimators.MissingReward()}, n)
	for i := range rewards {
		sum, any := 0.0, false
		for k, name := range s.rows.Components.Names {
			if x := b.Parts[k][i]; x == x && !IsBaseline(name) && !strings.HasPrefix(name, MetricsPrefix) {
				sum, any = sum+x, true
			}
		}
		if any {
			rewards[i], s.rows.sumsComponents = sum, true
		}
	}
	s.use(RoleReward, s.rows.sumsComponents)
	return rewards
}
