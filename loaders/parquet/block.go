package parquet

import (
	"cmp"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

func (r *columnReader) readTexts(n int) (model.Block, error) {
	b := model.Block{Prompts: make([]model.Prompt, 1, 1+n/4), Groups: make([]string, 1)} // entry 0 is none
	if r.prompt != nil {
		b.Prompt = make([]int32, n)
	}
	if r.groupID != nil {
		b.Group = make([]int32, n)
	}
	for i := range n {
		if err := r.readPrompt(&b, i); err != nil {
			return b, err
		}
		if err := r.readGroupID(&b, i); err != nil {
			return b, err
		}
	}
	return b, nil
}

// readPrompt sets the prompt of row i, mostly that of the row before.
func (r *columnReader) readPrompt(b *model.Block, i int) error {
	if r.prompt == nil {
		return nil
	}
	same, err := r.prompt.next()
	if err == nil && r.truth != nil {
		var sameTruth bool
		sameTruth, err = r.truth.next()
		same = same && sameTruth
	}
	if err != nil {
		return err
	}
	if same && i > 0 {
		b.Prompt[i] = b.Prompt[i-1]
		return nil
	}
	prompt, truth := r.prompt.value(), r.truth.value()
	r.decoder.HasTruth = r.decoder.HasTruth || prompt.Kind != jsonscan.Absent && truth.Kind != jsonscan.Absent
	r.noteRole(decode.RolePrompt, prompt.Kind != jsonscan.Absent)
	r.noteRole(decode.RoleTruth, truth.Kind != jsonscan.Absent)
	if found := r.decoder.Prompts.Get(prompt, truth); found.Hash != 0 {
		b.Prompts = append(b.Prompts, model.Prompt{Hash: found.Hash, Preview: found.Preview})
		b.Prompt[i] = int32(len(b.Prompts) - 1)
	}
	return nil
}

func (r *columnReader) readGroupID(b *model.Block, i int) error {
	if r.groupID == nil {
		return nil
	}
	same, err := r.groupID.next()
	switch {
	case err != nil:
		return err
	case same && i > 0:
		b.Group[i] = b.Group[i-1]
	case r.groupID.valid && len(r.groupID.text) > 0:
		r.noteRole(decode.RoleGroup, true)
		b.Groups = append(b.Groups, string(r.groupID.value().Text()))
		b.Group[i] = int32(len(b.Groups) - 1)
	}
	return nil
}

// noteRole notes the column that plays a role, once some row has a value there, as
// [RowDecoder.learn] does.
func (r *columnReader) noteRole(as decode.Role, hasValue bool) {
	if hasValue && r.decoder.Used[as] == "" {
		r.decoder.Used[as] = r.decoder.FieldName(as)
	}
}

// fill makes the number columns of a block of n rows. The decoder learns nothing from rows that
// must be read one by one.
func (r *columnReader) fill(b *model.Block, n int) error {
	if !r.canFill(b, n) {
		return errNeedsRows
	}
	// the unit of lengths is that of the first row that has one
	if c := r.numbers[decode.RoleLength]; c != nil && c.firstValid(n) < n {
		r.decoder.LengthUnit = model.LengthTokens
	}
	if c := r.numbers[decode.RoleResponse]; c != nil && c.firstValid(n) < n {
		r.noteRole(decode.RoleResponse, true)
		if r.decoder.LengthUnit == model.LengthUnknown {
			r.decoder.LengthUnit = model.LengthCharacters
		}
	}
	b.Offset = make([]int64, n)
	for i := range b.Offset {
		b.Offset[i] = r.row + int64(i)
	}
	b.Step = r.steps(n)
	b.Length = r.lengths(n)
	if c := r.numbers[decode.RoleGroup]; c != nil {
		r.numberedGroups(b, c, n)
	}
	if c := r.numbers[decode.RoleAdvantage]; c != nil {
		b.Advantage = c.advantages(n)
		r.noteRole(decode.RoleAdvantage, true)
	}
	r.noteComponents(n)
	b.Components = r.componentValues(n)
	b.Reward = r.rewards(b, n)
	return nil
}

// canFill reports whether n rows mean the same as when they are decoded one by one: steps and
// lengths are integers or null, every row is a sample, and none lacks the step or the group that others have.
func (r *columnReader) canFill(b *model.Block, n int) bool {
	if c := r.numbers[decode.RoleStep]; c != nil && (!c.all(n, isExactInt) || c.hasNull(n) && (r.decoder.SawStep || c.firstValid(n) < n)) {
		return false
	}
	if !r.areGrouped(b, n) {
		return false
	}
	if c := r.numbers[decode.RoleLength]; c != nil &&
		(!c.all(n, isLength) || c.firstValid(n) > 0 && r.decoder.LengthUnit != model.LengthTokens) {
		return false
	}
	if r.numbers[decode.RoleReward] != nil {
		return true
	}
	for i := range n { // without a reward column a row may hold nothing
		if !r.isSample(i) {
			return false
		}
	}
	return true
}

// areGrouped reports whether all rows have a prompt or a group id, or none has ever had one.
func (r *columnReader) areGrouped(b *model.Block, n int) bool {
	with := 0
	for i := range n {
		switch c := r.numbers[decode.RoleGroup]; {
		case b.Prompt != nil && b.Prompt[i] != 0, b.Group != nil && b.Group[i] != 0, c != nil && (c.valid == nil || c.valid[i]):
			with++
		}
	}
	r.decoder.SawGroup = r.decoder.SawGroup || with > 0
	return with == n || !r.decoder.SawGroup
}

func isLength(x float64) bool { return isExactInt(x) && x > 0 && x <= math.MaxInt32 }

// isSample reports whether row i has a response, or a component that counts as reward.
func (r *columnReader) isSample(i int) bool {
	if c := r.numbers[decode.RoleResponse]; c != nil {
		if _, ok := c.at(i); ok {
			return true
		}
	}
	for _, c := range r.components {
		if x, ok := c.at(i); ok && x == x && r.decoder.Fields.IsSummand(r.name(c)) {
			return true
		}
	}
	return false
}

func (r *columnReader) name(c *numberColumn) string { return r.file.Columns[c.column].Name }

func (r *columnReader) steps(n int) []int64 {
	steps := make([]int64, n)
	for i := range steps {
		steps[i] = r.decoder.FileStep
		if c := r.numbers[decode.RoleStep]; c != nil {
			if x, ok := c.at(i); ok {
				steps[i] = int64(x)
				r.decoder.SeeStep(steps[i])
				r.noteRole(decode.RoleStep, true)
			}
		}
	}
	return steps
}

func (r *columnReader) lengths(n int) []int32 {
	c := cmp.Or(r.numbers[decode.RoleLength], r.numbers[decode.RoleResponse])
	lengths := make([]int32, n)
	for i := range lengths {
		lengths[i] = -1
		if c != nil {
			if x, ok := c.at(i); ok {
				lengths[i] = int32(min(x, math.MaxInt32))
			}
		}
	}
	return lengths
}

func (r *columnReader) numberedGroups(b *model.Block, c *numberColumn, n int) {
	b.Group = make([]int32, n)
	previous := math.NaN()
	for i := range n {
		x, ok := c.at(i)
		switch {
		case !ok:
			continue
		case x != previous || i == 0 || b.Group[i-1] == 0:
			r.noteRole(decode.RoleGroup, true)
			b.Groups = append(b.Groups, string(jsonscan.FromFloat(x).Literal().Text()))
			previous = x
		}
		b.Group[i] = int32(len(b.Groups) - 1)
	}
}

// noteComponents adds the components that are new to the decoder, in the order of the rows that
// first have a value of them.
func (r *columnReader) noteComponents(n int) {
	for {
		var next *numberColumn
		for _, c := range r.components {
			if _, known := r.decoder.Components.Index[r.name(c)]; !known && c.firstValid(n) < n &&
				(next == nil || c.firstValid(n) < next.firstValid(n)) {
				next = c
			}
		}
		if next == nil || len(r.decoder.Components.Names) >= decode.MaxComponents {
			return
		}
		if name := r.name(next); r.decoder.Fields.IsPlainPart(name) {
			r.decoder.Components.SetPlain(name, jsonscan.FromFloat(0))
		} else {
			r.decoder.Components.Set(name, jsonscan.FromFloat(0))
		}
	}
}

func (r *columnReader) componentValues(n int) [][]float64 {
	all := make([][]float64, len(r.decoder.Components.Names))
	for _, c := range r.components {
		if at, ok := r.decoder.Components.Index[r.name(c)]; ok {
			all[at] = slices.Clone(c.values[:n])
		}
	}
	for i, values := range all {
		if values == nil { // this file lacks the component
			all[i] = slices.Repeat([]float64{math.NaN()}, n)
		}
	}
	return all
}

// rewards are the values of the reward column, or else the sums of the components.
func (r *columnReader) rewards(b *model.Block, n int) []float64 {
	if c := r.numbers[decode.RoleReward]; c != nil {
		r.noteRole(decode.RoleReward, true)
		rewards := slices.Clone(c.values[:n])
		for i := range rewards {
			if _, ok := c.at(i); !ok {
				rewards[i] = estimators.MissingReward()
			}
		}
		return rewards
	}
	rewards := slices.Repeat([]float64{estimators.MissingReward()}, n)
	for i := range rewards {
		sum, scored := 0.0, false
		for k, name := range r.decoder.Components.Names {
			if x := b.Components[k][i]; x == x && r.decoder.Fields.IsSummand(name) {
				sum, scored = sum+x, true
			}
		}
		if scored {
			rewards[i], r.decoder.SumsComponents = sum, true
		}
	}
	r.noteRole(decode.RoleReward, r.decoder.SumsComponents)
	return rewards
}
