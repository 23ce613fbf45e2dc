// Package fast reads the rows of a large log of JSON lines or CSV into columns, without looking up names.
//
// Nearly all rows of a log have the same keys in the same order. A [Reader] learns that order from a
// row that decode.RowDecoder has read: a template of constant bytes with fields between them. It then
// compares the bytes and reads the fields in place. A row that differs in anything, in a key, the
// kind of a value or the way a number is written, is left to the RowDecoder: a Reader reads a row as
// that does, or not at all. A [CSVReader] does the same with the cells of a table.
//
// In: the bytes of many lines. Out: a [model.Block]. The workers of package loaders call it, for formats
// without a Layout. Reading spends its time here, of logs without texts in readNumberRows, and in
// [jsonscan.MeasureString].
package fast

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// Reader reads the rows of one file of JSON lines that fit its template.
type Reader struct {
	rowBuilder
	template     template
	failedLearns int    // rows from which a template was learned since the last row that fitted
	sharedPrefix []byte // of the row before, up to the first field that differs within a group; nil if not known
}

// New returns a reader without a template that leaves rows to slow.
func New(slow *decode.RowDecoder) *Reader { return &Reader{rowBuilder: rowBuilder{slow: slow}} }

// BeginBlock starts a block in the memory of old, which nobody may use any more.
func (r *Reader) BeginBlock(old model.Block) {
	r.rowBuilder.BeginBlock(old)
	r.sharedPrefix, r.template.numbers.misses = nil, 0
}

// AddRecord adds a row that the RowDecoder has read.
func (r *Reader) AddRecord(rec *model.Record) {
	r.rowBuilder.AddRecord(rec)
	r.sharedPrefix = nil
}

// ReadRows reads lines into the block, from the one that begins at p[at] to the first that does not
// fit the template or begins at limit or later. It returns where that begins, and how many lines were
// read. p[0] has the given offset in the file; p must not change before EndBlock.
//
// It does not search for newlines: the bytes between values are compared, texts end at a control
// character, and nothing else can hold one. A row that begins as the one before, as rows of a group
// do, is read from the first byte that may differ, and many at once if they differ in numbers alone.
func (r *Reader) ReadRows(p []byte, at, limit int, offset int64) (end, n int) {
	r.buf = p
	for at < limit && r.template.fields != nil {
		end := r.readRow(p, at, offset+int64(at))
		if end == 0 {
			break
		}
		end, more := r.readNumbers(p, end, limit, offset)
		at, n = end, n+1+more
	}
	return at, n
}

// readRow reads one line and returns where the next begins, 0 if it does not fit.
func (r *Reader) readRow(p []byte, at int, offset int64) (end int) {
	t := &r.template
	r.status = model.StatusTrains
	samePrefix := r.sharedPrefix != nil && bytes.HasPrefix(p[at:], r.sharedPrefix)
	afterPrefix := at + len(r.sharedPrefix)
	if !samePrefix {
		r.sharedPrefix = nil
		before := t.before.match(p, at)
		if at == 0 && bytes.HasPrefix(p, t.before.text) { // where fewer bytes stand than match looks at
			before = len(t.before.text)
		}
		afterPrefix = r.readValues(p, t.fields[:t.firstOwn], before)
	}
	end = r.readValues(p, t.fields[t.firstOwn:], afterPrefix)
	if end == 0 || !r.addRow(offset, samePrefix && t.sharedFirst) {
		r.sharedPrefix = nil
		return 0
	}
	if !samePrefix {
		r.sharedPrefix, r.failedLearns = p[at:afterPrefix], 0
	}
	return end
}

// readValues reads the values of some fields, the first of which begins at at. It returns where the
// value after the last begins, 0 if something does not fit or at is 0.
func (r *Reader) readValues(p []byte, fields []field, at int) int {
	for i := 0; i < len(fields) && at > 0; i++ {
		f, next := &fields[i], 0
		v := &r.spans[f.role]
		if f.kind == jsonscan.Number {
			if x, end := readDecimal(p, at); end > 0 {
				v.from, v.to, v.number = at, end, x
				next = f.after.match(p, end)
			}
		}
		if next == 0 {
			next = v.read(p, at, f)
		}
		if f.isOther && next > 0 && !r.takeOther(f, p) {
			return 0
		}
		at = next
	}
	return at
}

// takeOther takes a component or the status from a value. It returns false if only the RowDecoder can read the row.
func (r *Reader) takeOther(f *field, p []byte) bool {
	v := &r.spans[f.role]
	if f.component >= 0 {
		r.components[f.component] = v.number
	}
	if f.status == "" {
		return true
	}
	status := r.slow.Fields.StatusOf([]byte(f.status), jsonscan.Value{Kind: f.kind, Raw: p[v.from:v.to]})
	r.status = max(r.status, status)
	return status != decode.Evaluated
}

// read reads a value of any kind and the literal after it, and returns where that ends, 0 if
// something does not fit.
func (v *span) read(p []byte, at int, f *field) (end int) {
	if f.kind == jsonscan.String && !f.isNumber() {
		end = v.readString(p, at)
	} else {
		end = v.scan(p, at, f)
	}
	if end == 0 {
		return 0
	}
	return f.after.match(p, end)
}

// scan reads a value as the RowDecoder does.
func (v *span) scan(p []byte, at int, f *field) (end int) {
	if at < len(p) && p[at] <= ' ' {
		return 0 // the first row has no space there, and the span of a value has none
	}
	s := jsonscan.Scanner{Data: p, Pos: at}
	value, err := s.Value()
	if err != nil || value.Kind != f.kind || hasNewlineOrNUL(p[at:s.Pos]) {
		return 0
	}
	v.from, v.to = at, s.Pos
	if value.Kind == jsonscan.String {
		v.from, v.to = at+1, s.Pos-1
	}
	ok := true
	switch {
	case f.role == decode.RoleAdvantage:
		v.number = value.ToAdvantage()
	case f.isNumber():
		v.number, ok = value.ToFloat()
	}
	if !ok {
		return 0
	}
	return s.Pos
}

// readString measures a string without looking at its characters.
func (v *span) readString(p []byte, at int) (end int) {
	if at == len(p) || p[at] != '"' {
		return 0
	}
	c, ok := jsonscan.MeasureString(p[at+1:])
	if !ok {
		return 0
	}
	v.from, v.to, v.number = at+1, at+1+c.Bytes, -1
	if n, ok := c.Characters(); ok {
		v.number = float64(n)
	}
	return v.to + 1
}

// hasNewlineOrNUL reports whether a list or an object continues after its line, or has a NUL.
func hasNewlineOrNUL(raw []byte) bool {
	return bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, 0) >= 0
}

// template is what all rows have in common: the order of the keys, and what their fields mean.
type template struct {
	before      literal // before the first value
	numbers     numbers // those from there on, if they are all numbers
	fields      []field // nil if there is no template
	firstOwn    int     // the first field that may differ within a group
	sharedFirst bool    // all fields that do not differ within a group come before it
}

// field is a value of a row.
type field struct {
	kind      jsonscan.Kind
	role      decode.Role // noRole if it plays none
	component int         // index of the reward component, -1 if it is none
	status    string      // its name if it says the status of the row, else ""
	isOther   bool        // it is a component or says the status
	after     literal     // up to the next value
}

// isShared reports whether the value is the same in all samples of a group.
func (f field) isShared() bool {
	return f.role == decode.RoleStep || f.role == decode.RoleGroup || f.role == decode.RolePrompt || f.role == decode.RoleTruth
}

// isNumber reports whether the value is read as a number, whatever its kind.
func (f *field) isNumber() bool {
	return f.kind == jsonscan.Number || f.kind == jsonscan.Bool || f.role == decode.RoleReward || f.role == decode.RoleAdvantage
}

// maxFailedLearns is how many templates are learned of which no row fits: then the log has no order.
const maxFailedLearns = 64

// Learn makes the template of a row that the RowDecoder has read. There is none if the Reader could
// not read the row itself.
func (r *Reader) Learn(line []byte) {
	if r.failedLearns++; r.failedLearns > maxFailedLearns {
		return
	}
	r.template, r.components, r.sharedPrefix, r.prompt.known = template{}, nil, nil, false
	var t template
	var best bestFields
	var names []jsonscan.Value // of its fields
	s, literalStart := jsonscan.Scanner{Data: line}, 0
	for more := true; more; more = s.Peek() != '}' {
		key, v, valueStart, ok := s.Field()
		if !ok {
			return
		}
		next, rank, ok := r.classify(key, v)
		if !ok {
			return
		}
		t.addLiteral(line[literalStart:valueStart])
		literalStart = s.Pos
		t.fields, names = append(t.fields, next), append(names, key)
		if loser := best.assign(len(t.fields), next.role, rank); loser > 0 {
			lost := &t.fields[loser-1]
			if lost.component, ok = r.partOf(names[loser-1], lost.kind, lost.role); !ok {
				return
			}
			lost.role = noRole
		}
		s.SkipSpace()
	}
	t.addLiteral(append(line[literalStart:len(line):len(line)], '\n'))
	if r.canRead(&best) {
		r.use(t)
	}
}

// addLiteral sets the bytes after the fields so far.
func (t *template) addLiteral(text []byte) {
	if n := len(t.fields); n > 0 {
		t.fields[n-1].after = newLiteral(text)
	} else {
		t.before = newLiteral(text)
	}
}

// use makes t the template of the rows to come, unless it cannot be used.
func (r *Reader) use(t template) {
	t.firstOwn = slices.IndexFunc(t.fields, func(f field) bool {
		return (f.role != noRole || f.component >= 0 || f.status != "") && !f.isShared()
	})
	t.sharedFirst = !slices.ContainsFunc(t.fields[t.firstOwn:], field.isShared)
	r.forgetRoles()
	for i := range t.fields {
		f := &t.fields[i]
		f.isOther = f.component >= 0 || f.status != ""
		if isTokenCount(f.role) && f.kind != jsonscan.Number {
			return
		}
		r.setRole(f.role, f.kind)
		for len(r.components) <= f.component {
			r.components = append(r.components, math.NaN())
		}
	}
	if t.sharedFirst && canReadNumbers {
		t.numbers = numbersOf(t.fields[t.firstOwn:])
	}
	r.template = t
}

// classify returns the field that a key and its value make, and the rank of the key among the names
// of its role. It is not ok if the value may mean something else in another row: only the RowDecoder
// can tell then.
func (r *Reader) classify(key, v jsonscan.Value) (f field, rank int, ok bool) {
	f = field{kind: v.Kind, role: noRole, component: -1}
	if r.slow.Fields.Statuses[string(key.Raw)] != nil {
		f.status = string(key.Raw)
	}
	p, hasRole := r.slow.Fields.LookupFor(key.Raw, v)
	switch isIdle, isFraction := r.readsEpoch(p, key.Raw, v.Raw); {
	case isIdle || isFraction:
		return f, 0, isIdle
	case hasRole && p.Role == decode.RoleMask:
		return f, 0, r.needsNoMask(key, v)
	}
	if hasRole && p.Role.Accepts(v) {
		f.role = p.Role
		onlyDecoderTells := r.slow.Fields.IsRequested(key.Raw) || decode.IsConversationField(string(key.Raw))
		return f, p.Rank, !onlyDecoderTells && isPlainValue(p.Role, v.Kind)
	}
	if hasRole { // another value of that kind may play the role; null never does
		return f, 0, v.Kind == jsonscan.Null && !decode.IsComponentName(string(key.Text()))
	}
	f.component, ok = r.componentOf(key, v)
	return f, 0, ok
}

// isPlainValue reports whether values of that kind, in that role, are read here.
func isPlainValue(role decode.Role, kind jsonscan.Kind) bool {
	switch kind {
	case jsonscan.String, jsonscan.Number:
		return true
	case jsonscan.Bool:
		return role == decode.RoleReward
	case jsonscan.Array:
		return role == decode.RolePrompt || role == decode.RoleResponse
	default:
		return false
	}
}

// partOf returns the index of the component that a value gives which could be the reward, -1 for none. It is not ok if only the RowDecoder
// can tell.
func (r *rowBuilder) partOf(name jsonscan.Value, kind jsonscan.Kind, role decode.Role) (index int, ok bool) {
	text := string(name.Text())
	if role != decode.RoleReward || !r.slow.Fields.IsPlainPart(text) {
		return -1, true
	}
	at, known := r.slow.Components.Index[text]
	if !known || kind != jsonscan.Number && kind != jsonscan.Bool {
		return -1, false
	}
	return at, true
}

// needsNoMask reports whether a mask tells nothing: it is no list, or next to a number of tokens.
func (r *Reader) needsNoMask(key, v jsonscan.Value) bool {
	return v.Kind != jsonscan.Array || r.slow.Used[decode.RoleLength] != "" && !r.slow.Fields.IsRequested(key.Raw)
}

// readsEpoch reports whether a field is an epoch that tells no step, since the path or another field of the rows so far does; or else one
// that may be a fraction in other rows, as it is written as one.
func (r *rowBuilder) readsEpoch(p decode.FieldRole, name, value []byte) (isIdle, isFraction bool) {
	if len(name) != len(decode.EpochField) || !decode.IsEpoch(p.Role, name) {
		return false, false
	}
	used := r.slow.Used[decode.RoleStep]
	hasOther := used != "" && used != decode.EpochField && !r.slow.Fields.EpochIsChosen()
	if hasOther || !r.slow.ReadsEpoch() {
		return true, false
	}
	return false, bytes.IndexByte(value, '.') >= 0
}

// componentOf returns the index of the component that a field without a role gives, -1 for none. It
// is not ok if the field may give one in another row.
func (r *Reader) componentOf(key, v jsonscan.Value) (index int, ok bool) {
	name := string(key.Text())
	_, holdsComponents := decode.ComponentPrefix(key.Raw)
	switch v.Kind {
	case jsonscan.Object:
		return -1, !holdsComponents && !r.slow.Fields.IsParent(key.Raw) && !r.slow.Fields.MayHoldPlainParts(name)
	case jsonscan.Number, jsonscan.Bool:
		if i, known := r.slow.Components.Index[name]; known {
			return i, true
		}
		return -1, true
	case jsonscan.String:
		return -1, !holdsComponents && !decode.IsComponentName(name) && !r.slow.Fields.IsRequested(key.Raw)
	default:
		return -1, !decode.IsComponentName(name)
	}
}

// literal is the bytes between two values, the same in all rows: keys, colons, commas. Each of
// millions of rows has several, and most are short: the last 16 bytes are compared as two words, of
// which a mask leaves out the bytes before the literal.
type literal struct {
	text         []byte
	word0, word1 uint64
	mask0, mask1 uint64
}

const twoWords = 16 // bytes

func newLiteral(text []byte) literal {
	var last, mask [twoWords]byte
	for i := 1; i <= min(len(text), twoWords); i++ {
		last[twoWords-i], mask[twoWords-i] = text[len(text)-i], 0xff
	}
	word := binary.LittleEndian.Uint64
	return literal{bytes.Clone(text), word(last[:]), word(last[8:]), word(mask[:]), word(mask[8:])}
}

// match returns the end of the literal at p[at:]. It returns 0 if other bytes stand there, or if
// fewer than 16 end there.
func (l *literal) match(p []byte, at int) int {
	end := at + len(l.text)
	if end < twoWords || end > len(p) || len(l.text) > twoWords && string(p[at:end]) != string(l.text) {
		return 0
	}
	w := p[end-twoWords : end]
	if (binary.LittleEndian.Uint64(w)^l.word0)&l.mask0|(binary.LittleEndian.Uint64(w[8:])^l.word1)&l.mask1 != 0 {
		return 0
	}
	return end
}

// readDecimal reads the decimal at b[at:] and returns where it ends, 0 if there is none or it has more
// than maxDigits. Of up to exactDigits it is an integer below 2^53 over a power of ten, both exact, so one
// division rounds it correctly. It reads no exponent. Where a number and what follows it stand within eight bytes
// it takes these at once: which digit is the last is not to be predicted.
func readDecimal(b []byte, at int) (x float64, end int) {
	if at+9 > len(b) {
		return readLongDecimal(b, at)
	}
	from := at
	w := binary.LittleEndian.Uint64(b[at:])
	isNegative := byte(w) == '-'
	if isNegative {
		at++
		w = binary.LittleEndian.Uint64(b[at:])
	}
	w ^= '0' * each
	others := notDigits(w)
	point := bits.TrailingZeros64(others) &^ 7 // how many bits stand before it, as size below
	size, digits := point, 0                   // after the point, which counts as one
	if byte(w>>(point&63)) == '.'^'0' {
		others &= others - 1
		size = bits.TrailingZeros64(others) &^ 7
		digits = (size - point) / 8
		before := uint64(1)<<(point&63) - 1
		w = w&before<<8 | w&^(before<<8|0xff) // the digits before the point move to where it is
	}
	switch {
	case others == 0:
		return readLongDecimal(b, from)
	case point == 0, digits == 1, point > 8 && b[at] == '0':
		return 0, 0
	}
	x = float64(int64(eightDigits(w << (uint(64-size) & 63)))) // zeros come first
	if digits > 0 {
		x /= powersOfTen[digits-1]
	}
	if isNegative {
		x = -x
	}
	return x, at + size/8
}

// readLongDecimal is readDecimal for any number of digits up to maxDigits.
func readLongDecimal(b []byte, at int) (x float64, end int) {
	isNegative := byteAt(b, at) == '-'
	if isNegative {
		at++
	}
	n, end := readDigits(b, at, 0)
	whole, decimals := end-at, 0
	if whole == 0 || whole > 1 && b[at] == '0' {
		return 0, 0
	}
	if byteAt(b, end) == '.' {
		point := end
		n, end = readDigits(b, end+1, n)
		if decimals = end - point - 1; decimals == 0 {
			return 0, 0
		}
	}
	switch digits := whole + decimals; {
	case digits > maxDigits:
		return 0, 0
	case digits > exactDigits:
		x = divide(n, powers[decimals])
	default:
		x = float64(int64(n)) / powersOfTen[decimals]
	}
	if isNegative {
		x = -x
	}
	return x, end
}

// readDigits appends the digits at b[i:] to the number n, which may overflow, and returns where they end.
func readDigits(b []byte, i int, n uint64) (uint64, int) {
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:]) ^ '0'*each
		if notDigits(w) != 0 {
			break
		}
		n, i = n*100_000_000+eightDigits(w), i+8
	}
	for ; uint(i) < uint(len(b)); i++ { // one comparison for both bounds
		d := b[i] - '0'
		if d > 9 {
			break
		}
		n = n*10 + uint64(d)
	}
	return n, i
}

// each is a word of eight bytes that are 1.
const each = 0x0101010101010101

// notDigits sets the high bit of the first of eight bytes that is no digit, once '0' is taken from each by exclusive or, and of some after
// it.
func notDigits(w uint64) uint64 { return (w + 0x76*each | w) & (0x80 * each) }

// eightDigits returns the number that eight digits make, the first of which is in the lowest byte.
func eightDigits(w uint64) uint64 {
	w = w*10 + w>>8 // pairs of digits
	const pairs = 0x000000ff000000ff
	return (w&pairs*(100+1000000<<32) + w>>16&pairs*(1+10000<<32)) >> 32
}

// divide returns the float nearest to n/d, of two with as near the even one; d is not 0. The quotient has 63 bits or 64, the last of which
// is set if there is a remainder: that is all that rounding to 53 needs to know.
func divide(n, d uint64) float64 {
	if n == 0 {
		return 0
	}
	zerosOfN, zerosOfD := bits.LeadingZeros64(n), bits.LeadingZeros64(d)
	n, d = n<<zerosOfN, d<<zerosOfD
	q, rest := bits.Div64(n>>1, n<<63, d)
	exponent := zerosOfD - zerosOfN - 63
	if rest != 0 {
		q |= 1
	}
	if q>>63 != 0 {
		q, exponent = q>>1|q&1, exponent+1
	}
	const bias, fraction = 1023, 52
	return float64(int64(q)) * math.Float64frombits(uint64(bias+exponent)<<fraction)
}

// byteAt returns b[i], 0 if there is none.
func byteAt(b []byte, i int) byte {
	if uint(i) < uint(len(b)) {
		return b[i]
	}
	return 0
}

// Numbers of up to maxDigits fit into 64 bits. Those of up to exactDigits are floats, and so are the powers of ten.
const maxDigits, exactDigits = 19, 15

var (
	powersOfTen = [exactDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
	powers      = [maxDigits + 1]uint64{
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
		1e18, 1e19,
	}
)
