package fast

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// blockBuilder is a block under construction. Its columns are as long as their capacity and a row is
// stored by index: appending millions of rows to each column takes longer.
type blockBuilder struct {
	model.Block
	n   int             // rows so far
	old model.Block     // columns that are not used yet reuse its slices
	ids strings.Builder // those of groups: one allocation for many
}

// addGroup adds the id of a group.
func (b *blockBuilder) addGroup(id []byte) {
	const many = 4 << 10 // bytes
	if b.ids.Cap()-b.ids.Len() < len(id) {
		b.ids.Reset()
		b.ids.Grow(max(many, len(id)))
	}
	from := b.ids.Len()
	b.ids.Write(id)
	b.Groups = append(b.Groups, b.ids.String()[from:])
}

// groupKey is what the samples of a group have in common: the step, and indexes into Prompts and
// Groups.
type groupKey struct {
	step          int64
	prompt, group int32
}

// reset starts a block in the memory of old, or with room for a few rows more than the last block had
// if old is empty.
func (b *blockBuilder) reset(old model.Block) {
	room := min(cap(old.Step), cap(old.Offset), cap(old.Reward), cap(old.Length))
	last := b.n
	*b = blockBuilder{old: old, Block: model.Block{
		Step: old.Step[:room], Offset: old.Offset[:room], Reward: old.Reward[:room], Length: old.Length[:room],
		Prompts: append(old.Prompts[:0], model.Prompt{}), Groups: append(old.Groups[:0], ""), // index 0 is none
	}}
	if room == 0 {
		b.grow(last + last/16)
	}
}

// addRow adds a sample. A column that may be nil is allocated by the first sample with a value.
func (b *blockBuilder) addRow(offset int64, key groupKey, rollout model.Rollout, status model.Status, reward, advantage float64,
	length int32, components []float64,
) {
	if b.n == len(b.Reward) {
		b.grow(b.n + b.n/2 + 64)
	}
	n := b.n
	b.Step[n], b.Offset[n], b.Reward[n], b.Length[n] = key.step, offset, reward, length
	if key.prompt != 0 && b.Prompt == nil {
		b.Prompt = reuse(b.old.Prompt, n, len(b.Reward), 0)
	}
	if b.Prompt != nil {
		b.Prompt[n] = key.prompt
	}
	if key.group != 0 && b.Group == nil {
		b.Group = reuse(b.old.Group, n, len(b.Reward), 0)
	}
	if b.Group != nil {
		b.Group[n] = key.group
	}
	if b.Rollout != nil || rollout.Number != 0 {
		b.Rollout = put(b.Rollout, b.old.Rollout, n, len(b.Reward), rollout)
	}
	if b.Status != nil || status != model.StatusTrains {
		b.Status = put(b.Status, b.old.Status, n, len(b.Reward), status)
	}
	if b.Advantage == nil && model.IsLogged(advantage) {
		b.Advantage = reuse(b.old.Advantage, n, len(b.Reward), math.NaN())
	}
	if b.Advantage != nil {
		b.Advantage[n] = advantage
	}
	if len(components)+len(b.Components) > 0 {
		b.addComponents(components)
	}
	b.n++
}

// put sets row n of a column, which is nil if no row before has a value, in the memory of old.
func put[T any](column, old []T, n, room int, x T) []T {
	if column == nil {
		var none T
		column = reuse(old, n, room, none)
	}
	column[n] = x
	return column
}

// addComponents sets the components of the newest sample.
func (b *blockBuilder) addComponents(components []float64) {
	for k := len(b.Components); k < len(components); k++ {
		var old []float64
		if k < len(b.old.Components) {
			old = b.old.Components[k]
		}
		b.Components = append(b.Components, reuse(old, b.n, len(b.Reward), math.NaN()))
	}
	for k, column := range b.Components {
		column[b.n] = math.NaN()
		if k < len(components) {
			column[b.n] = components[k]
		}
	}
}

// reuse returns a column of length room, in the memory of old if that suffices. Its first n rows are
// none, the others undefined.
func reuse[T any](old []T, n, room int, none T) []T {
	if cap(old) < room {
		old = make([]T, room)
	}
	old = old[:room]
	for i := range old[:n] {
		old[i] = none
	}
	return old
}

// grow makes all columns of length room.
func (b *blockBuilder) grow(room int) {
	b.Step, b.Offset, b.Reward, b.Length = extend(b.Step, room), extend(b.Offset, room), extend(b.Reward, room), extend(b.Length, room)
	b.Prompt, b.Group, b.Advantage = extendUsed(b.Prompt, room), extendUsed(b.Group, room), extendUsed(b.Advantage, room)
	b.Rollout, b.Status = extendUsed(b.Rollout, room), extendUsed(b.Status, room)
	for k := range b.Components {
		b.Components[k] = extend(b.Components[k], room)
	}
}

// extend returns a copy of a column, of length room.
func extend[T any](column []T, room int) []T { return append(make([]T, 0, room), column...)[:room] }

// extendUsed is extend of a column that may be nil, and then stays so.
func extendUsed[T any](column []T, room int) []T {
	if column == nil {
		return nil
	}
	return extend(column, room)
}

func (b *blockBuilder) finish() model.Block {
	done := b.Block
	done.Step, done.Offset, done.Reward, done.Length = b.Step[:b.n], b.Offset[:b.n], b.Reward[:b.n], b.Length[:b.n]
	done.Prompt, done.Group, done.Advantage = trim(b.Prompt, b.n), trim(b.Group, b.n), trim(b.Advantage, b.n)
	done.Rollout, done.Status = trim(b.Rollout, b.n), trim(b.Status, b.n)
	done.Components = slices.Clone(b.Components)
	for k := range done.Components {
		done.Components[k] = trim(done.Components[k], b.n)
	}
	return done
}

// trim returns the first n rows of a column; nil stays nil.
func trim[T any](column []T, n int) []T { return column[:min(n, len(column))] }

// rowBuilder makes samples of the values of a row, as the RowDecoder does, and collects them in a
// block.
type rowBuilder struct {
	slow        *decode.RowDecoder // reads the other rows
	hasCells    bool               // values are cells of CSV; else they are of JSON
	tokenCounts []decode.Role      // of the fields that are numbers of tokens
	groupRank   int                // of the name of the group id

	// The row at hand.
	buf        []byte
	spans      [decode.RoleCount + 1]span // by role; the last is that of fields without one
	components []float64
	status     model.Status

	// The row before. Its bytes are those of buf.
	group   groupKey
	rollout model.Rollout
	prompt  promptBytes
	groupID []byte

	block blockBuilder
}

// span is where the value of a role stands in the current row. It holds no pointer: one is written
// for each value of millions of rows.
type span struct {
	kind     jsonscan.Kind // the same in all rows
	from, to int           // in buf, without quotes
	number   float64       // of a text: its characters once decoded, -1 if they were not counted
}

// promptBytes are the undecoded bytes of a prompt and its ground truth.
type promptBytes struct {
	prompt, truth []byte
	known         bool
}

// BeginBlock starts a block in the memory of old, which nobody may use any more.
func (r *rowBuilder) BeginBlock(old model.Block) {
	r.block.reset(old)
	r.prompt.known, r.groupID = false, nil
}

// EndBlock returns the block.
func (r *rowBuilder) EndBlock() model.Block { return r.block.finish() }

// addRow adds the current row to the block. It returns false if only the RowDecoder can read it.
// sameGroup says that r.group is that of the row.
func (r *rowBuilder) addRow(offset int64, sameGroup bool) bool {
	length, ok := r.length()
	if !ok || r.isEmptyText(decode.RoleRollout) || !sameGroup && !r.readGroup() {
		return false
	}
	rollout := r.rollout
	if r.spans[decode.RoleRollout].kind != jsonscan.Absent {
		rollout = decode.RolloutOf(r.value(decode.RoleRollout))
	}
	r.block.addRow(offset, r.group, rollout, r.status, r.spans[decode.RoleReward].number, r.spans[decode.RoleAdvantage].number, length,
		r.components)
	return true
}

// readGroup sets r.group to that of the current row.
func (r *rowBuilder) readGroup() bool {
	step, ok := r.step()
	if !ok || r.isEmptyText(decode.RoleGroup) {
		return false
	}
	r.group = groupKey{step, r.promptNumber(), r.groupNumber()}
	hasGroup := r.group.group != 0 || r.block.Prompts[r.group.prompt].Hash != 0
	return hasGroup == r.slow.SawGroup // else it is refused, or the first with one, from which the RowDecoder learns
}

// isEmptyText reports whether the value of a role is "", which is no id.
func (r *rowBuilder) isEmptyText(role decode.Role) bool {
	v := &r.spans[role]
	return v.kind == jsonscan.String && v.from == v.to
}

// raw returns the bytes of a role's value, as they stand in the record.
func (r *rowBuilder) raw(role decode.Role) []byte {
	v := &r.spans[role]
	return r.buf[v.from:v.to]
}

// value returns the value of a role as the RowDecoder has it.
func (r *rowBuilder) value(role decode.Role) jsonscan.Value {
	v := jsonscan.Value{Kind: r.spans[role].kind, Raw: r.raw(role)}
	if r.hasCells && v.Kind == jsonscan.String {
		return jsonscan.FromText(framing.UnquoteCSV(v.Raw))
	}
	return v
}

func (r *rowBuilder) step() (int64, bool) {
	v := &r.spans[decode.RoleStep]
	if v.kind == jsonscan.Absent {
		return r.slow.FileStep, !r.slow.SawStep
	}
	step, ok := int64(v.number), v.number == math.Trunc(v.number)
	if v.kind != jsonscan.Number || math.Abs(v.number) >= 1<<53 {
		step, ok = r.value(decode.RoleStep).ToInt()
	}
	if ok {
		r.slow.SeeStep(step)
	}
	return step, ok
}

// length returns the length of the response, as RowDecoder does. Numbers of tokens that cannot be
// true leave the row to that.
func (r *rowBuilder) length() (int32, bool) {
	for _, role := range r.tokenCounts {
		if x := r.spans[role].number; x < 1 || x != float64(int32(x)) {
			return 0, false
		}
	}
	switch r.slow.LengthUnit {
	case model.LengthTokens:
		return int32(r.spans[decode.RoleLength].number), true
	case model.LengthCharacters:
		if n := r.spans[decode.RoleResponse].number; r.hasCells || n >= 0 && !r.isConversation(decode.RoleResponse) {
			return int32(min(n, math.MaxInt32)), true
		}
		return int32(min(decode.CountCharacters(r.value(decode.RoleResponse)), math.MaxInt32)), true
	default:
		return -1, true
	}
}

// isConversation reports whether a value is no plain text, or may hold messages.
func (r *rowBuilder) isConversation(role decode.Role) bool {
	return r.spans[role].kind != jsonscan.String || bytes.HasPrefix(r.raw(role), []byte(jsonscan.MessagesPrefix))
}

// minCachedPrompt is the size of a prompt, in bytes, from which looking it up is quicker than
// computing its hash and preview.
const minCachedPrompt = 256

// promptNumber returns the index of the row's prompt in the block: mostly that of the row before.
func (r *rowBuilder) promptNumber() int32 {
	if r.spans[decode.RolePrompt].kind == jsonscan.Absent {
		return 0
	}
	b := &r.block
	raw := promptBytes{r.raw(decode.RolePrompt), r.raw(decode.RoleTruth), true}
	if r.prompt.known && bytes.Equal(raw.prompt, r.prompt.prompt) && bytes.Equal(raw.truth, r.prompt.truth) {
		return int32(len(b.Prompts) - 1)
	}
	r.prompt = raw
	v, truth := r.value(decode.RolePrompt), r.value(decode.RoleTruth)
	if len(v.Raw)+len(truth.Raw) < minCachedPrompt && v.Kind == jsonscan.String && len(v.Raw) > 0 {
		b.Prompts = append(b.Prompts, r.slow.Prompts.Compute(v, truth))
	} else {
		b.Prompts = append(b.Prompts, r.slow.Prompts.Get(v, truth))
	}
	return int32(len(b.Prompts) - 1)
}

// groupNumber returns the index of the row's group id in the block: mostly that of the row before.
func (r *rowBuilder) groupNumber() int32 {
	r.rollout = model.Rollout{}
	if r.spans[decode.RoleGroup].kind == jsonscan.Absent {
		return 0
	}
	b := &r.block
	var raw []byte
	raw, r.rollout = r.slow.SplitGroup(r.raw(decode.RoleGroup), r.groupRank)
	if len(b.Groups) == 1 || !bytes.Equal(raw, r.groupID) {
		r.groupID = raw
		v := r.value(decode.RoleGroup)
		v.Raw, _ = r.slow.SplitGroup(v.Raw, r.groupRank)
		b.addGroup(v.Text())
	}
	return int32(len(b.Groups) - 1)
}

// AddRecord adds a row that the RowDecoder has read.
func (r *rowBuilder) AddRecord(rec *model.Record) {
	b := &r.block
	prompt, group := int32(0), int32(0)
	if rec.Prompt != 0 {
		b.Prompts, r.prompt.known = append(b.Prompts, model.Prompt{Hash: rec.Prompt, Preview: rec.Preview}), false
		prompt = int32(len(b.Prompts) - 1)
	}
	if rec.Group != "" {
		b.Groups, r.groupID = append(b.Groups, rec.Group), nil
		group = int32(len(b.Groups) - 1)
	}
	r.group, r.rollout = groupKey{rec.Step, prompt, group}, rec.Rollout
	b.addRow(rec.Offset, r.group, r.rollout, rec.Status, rec.Reward, rec.Advantage, rec.Length, rec.Components)
}

const noRole = decode.RoleCount

func isTokenCount(role decode.Role) bool {
	return role == decode.RoleLength || role == decode.RoleTotalTokens || role == decode.RolePromptLength
}

// forgetRoles makes all roles absent in the rows to come.
func (r *rowBuilder) forgetRoles() {
	clear(r.spans[:])
	r.spans[decode.RoleAdvantage].number, r.tokenCounts = math.NaN(), nil
}

// setRole says that a value of that kind plays a role in the rows to come.
func (r *rowBuilder) setRole(role decode.Role, kind jsonscan.Kind) {
	r.spans[role].kind = kind
	if isTokenCount(role) {
		r.tokenCounts = append(r.tokenCounts, role)
	}
}

// bestFields are the fields that play the roles, by number from 1, and the ranks of their names.
type bestFields [decode.RoleCount]struct{ number, rank int }

// assign decides whether field n or one before plays a role, and returns the number of the one that does not, 0 if there is none.
func (b *bestFields) assign(n int, role decode.Role, rank int) (loser int) {
	if role == noRole {
		return 0
	}
	best := &b[role]
	if best.number > 0 && rank > best.rank {
		return n
	}
	loser = best.number
	best.number, best.rank = n, rank
	return loser
}

// canRead reports whether rows with these fields have a reward, and their length where r.length looks for it. It notes the name of
// the group id.
func (r *rowBuilder) canRead(best *bestFields) bool {
	r.groupRank = best[decode.RoleGroup].rank
	if best[decode.RoleReward].number == 0 {
		return false
	}
	switch r.slow.LengthUnit {
	case model.LengthTokens:
		return best[decode.RoleLength].number > 0
	case model.LengthCharacters:
		return best[decode.RoleResponse].number > 0
	default:
		return true
	}
}
