package model

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"vantage/estimators"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Record is one sample as a loader read it. Its text stays in the file and is found again by its
// [Place].
type Record struct {
	Step        int64
	Rollout     Rollout
	Group       string    // the log's group id, "" if it has none; see Grouping for when it is used
	Prompt      uint64    // hash of prompt and ground truth, 0 if the log has no prompt
	Preview     string    // the first bytes of the prompt, at most 160, as logged: sanitise before showing
	Reward      float64   // estimators.MissingReward() where the log has none
	Components  []float64 // by Chunk.ComponentNames, NaN where one gave nothing; nil if the log has none
	Advantage   float64   // as logged; NaN if not: see IsLogged
	Whole       *Whole    // its group, if the log may hold only some samples of that; else nil
	Status      Status    // as the trainer writes it
	Length      int32     // of the response, in Chunk.LengthUnit; -1 if unknown
	File        int32     // index into Chunk.Files
	Line        int64     // 1-based line of the record in its file
	Offset      int64     // byte offset of the record in its file
	IndexInLine int32     // index of the record in its line: some trainers write a step in one line
}

// Place is where the text of a sample is.
type Place struct {
	File        int32 // index into Run.Files
	IndexInLine int32 // index of the record in its line; below 0 if the sample has no row, which is then the last row before it
	Offset      int64 // byte offset of the line
}

// Compare orders places as the samples stand in the log.
func (p Place) Compare(o Place) int {
	return cmp.Or(cmp.Compare(p.File, o.File), cmp.Compare(p.Offset, o.Offset), cmp.Compare(p.IndexInLine, o.IndexInLine))
}

// Text is the text of a sample, as logged: sanitise before showing.
type Text struct {
	Prompt, Response, Truth string
	Fields                  []Field // the other values of the record, in its order
}

// Field is a value of a record, as text.
type Field struct{ Name, Value string }

// LengthUnit is what response lengths count.
type LengthUnit int

// The units. Trainers weight by tokens; characters stand in for them.
const (
	LengthUnknown LengthUnit = iota
	LengthTokens
	LengthCharacters
)

// Problem is a place in the input that could not be read. Reading goes on after it.
type Problem struct {
	File   string
	Line   int64 // 1-based; 0 for the whole file
	Reason string
}

// Progress is how far a source has come.
type Progress struct {
	Files     int           // log files found
	BytesRead int64         // of all files
	BytesAll  int64         // size of all files when last seen; 0 if the input is no file (stdin)
	CaughtUp  bool          // everything that was there has been read
	Open      bool          // the newest step is still being written
	Polling   bool          // the file system sends no change notifications
	Awaited   string        // a path that does not exist yet; "" if all do
	LastWrite time.Time     // when the newest file with samples was written; zero if unknown
	RowTime   time.Time     // that the newest row gives itself; zero if it gives none, or was not asked
	StepTime  time.Duration // usual time between two steps; 0 if unknown
	Tried     int           // rows that were looked at for a format, and fit none
	Link      Link          // to the machine that the rows are on; the zero value if they are on this one
	Silent    time.Duration // for how long a disk of this machine has not answered; 0 while it does
}

// Chunk is a bounded number of samples in input order, as a loader hands them over. It belongs to
// the receiver.
type Chunk struct {
	Format         string   // name of the format: "verl", "jsonl"
	Framework      string   // whose arithmetic the format's trainer uses, as in package estimators; "" if unknown
	Provenance     string   // one sentence: which fields of the log play which role
	Files          []string // indexed by Record.File, relative to the opened path; later chunks may append names
	FileRuns       []int32  // number of the run, from 0, that each of Files belongs to, in place of those said before; nil if all are of one
	Records        []Record
	Blocks         []Block              // more samples, after those of Records
	Attempts       *Attempts            // which rows are left out from now on; nil if that has not changed
	Forget         []int32              // files that are read again from the start: their earlier samples are dropped
	PassedOver     map[int32]PassedOver // what more of each file is no sample
	ComponentNames []string             // reward functions, in the order of Record.Components and Block.Components
	Notes          []string             // sentences that say what was left out or counted once, and why
	Evaluates      bool                 // all its rows are of evaluations, by the paths of their files or by the format
	Evaluation     *Evaluation          // what is known now of evaluations among the rows, to replace what was known before; nil if that has not changed
	LengthUnit     LengthUnit
	HasTruth       bool // prompt hashes cover the ground truth too
	HasTotal       bool // some reward is a field of the log
	SumsComponents bool // some reward is the sum of the components, since the log has no total, and the trainer is not known to add them up
	NamesRewards   bool // the names of the components say that they are rewards
	Positional     bool // position may be used for grouping (not in verl files)
	Stepless       bool // nothing tells the step of its rows: all are of step 0
	GroupIsIndex   bool // the group id is from a field with the name of an index, which may number rows
	Problems       []Problem
	Skipped        int // records that could not be read since the last chunk, less those of Forget; Problems may list fewer
	Progress       Progress

	RewardNames     []string // names that the trainer says are reward functions; nil if it does not say
	RewardNamesFrom string   // the file in which it does
}

// PassedOver counts what a log holds beside the samples that were asked for.
type PassedOver struct {
	Untrained int // traces of agents that are not trained
	Evaluated int // rows that a column marks as evaluations
}

// Where is file:line, or the file.
func (p Problem) Where() string {
	if p.Line == 0 {
		return sanitize.Line(p.File)
	}
	return sanitize.Line(p.File) + ":" + strconv.FormatInt(p.Line, 10)
}

// String is file:line: reason.
func (p Problem) String() string { return p.Where() + ": " + sanitize.Line(p.Reason) }

// String is the name of the unit.
func (u LengthUnit) String() string {
	return [...]string{"unknown", "tokens", "characters"}[u]
}

// Doc says what the unit means for the metrics that trainers weight by tokens.
func (u LengthUnit) Doc() string {
	return [...]string{
		"the log has no lengths: metrics that trainers weight by tokens count each sample once",
		"in tokens",
		"the log has no token counts: metrics that trainers weight by tokens are weighted by characters",
	}[u]
}

// Block is many samples of one file, column by column, in input order: what fast readers make
// instead of records. All columns that are not nil have one length.
type Block struct {
	File       int32
	Step       []int64
	Offset     []int64     // of the record's line in its file; IndexInLine is 0
	Reward     []float64   // estimators.MissingReward() where the log has none
	Advantage  []float64   // as logged, NaN where not; nil if nowhere
	Status     []Status    // as the trainer writes it; nil if the log tells none
	Length     []int32     // -1 where unknown
	Prompt     []int32     // index into Prompts; nil if the log has none
	Group      []int32     // index into Groups; nil if the log has no ids
	Components [][]float64 // by Chunk.ComponentNames, NaN where one gave nothing
	Rollout    []Rollout   // nil if the log tells none
	Prompts    []Prompt    // adjacent ones differ; a prompt may come again later
	Groups     []string
}

// Prompt identifies a prompt.
type Prompt struct {
	Hash    uint64 // of prompt and ground truth
	Preview string // as in Record
}

// Len returns the number of samples.
func (b *Block) Len() int { return len(b.Reward) }

// Records returns the samples as records, without Line.
func (b *Block) Records() []Record {
	all := make([]Record, b.Len())
	for i := range all {
		r := Record{
			Step: b.Step[i], Reward: b.Reward[i], Advantage: math.NaN(), Length: b.Length[i],
			File: b.File, Offset: b.Offset[i],
		}
		if b.Advantage != nil {
			r.Advantage = b.Advantage[i]
		}
		if b.Prompt != nil {
			r.Prompt, r.Preview = b.Prompts[b.Prompt[i]].Hash, b.Prompts[b.Prompt[i]].Preview
		}
		if b.Group != nil {
			r.Group = b.Groups[b.Group[i]]
		}
		if b.Status != nil {
			r.Status = b.Status[i]
		}
		if b.Rollout != nil {
			r.Rollout = b.Rollout[i]
		}
		for _, component := range b.Components {
			r.Components = append(r.Components, component[i])
		}
		all[i] = r
	}
	return all
}

// Link is the connection to the machine that a source reads from. The zero value says that nothing is remote.
type Link struct {
	Host    string        // as the person named it, without user and password
	Latency time.Duration // of a round trip; 0 if unknown, or not worth saying
	State   LinkState
	Retry   time.Duration // of a lost link, how long the source waits before it connects again; 0 while it does
	Reason  string        // of a lost link, why: a sentence without a full stop
}

// LinkState is what a link can do now.
type LinkState int

// The states.
const (
	LinkUp         LinkState = iota
	LinkConnecting           // for the first time: nothing has answered yet
	LinkLost                 // what was read stays, and the source connects again by itself
)

// IsRemote reports whether there is a link.
func (l Link) IsRemote() bool { return l.Host != "" }

// Changed reports whether a person would notice the difference from an earlier link: another host, state, wait
// or reason, or a latency of less than half or more than twice as much. A source that returns a chunk for each
// change of a millisecond would never let the screen rest.
func (l Link) Changed(from Link) bool {
	if l.Host != from.Host || l.State != from.State || l.Retry != from.Retry || l.Reason != from.Reason {
		return true
	}
	short, long := min(l.Latency, from.Latency), max(l.Latency, from.Latency)
	return short == 0 && long != 0 || long > 2*short && long > 2*time.Millisecond
}

// String is host, latency and what else there is to say, "host · 12 ms · reconnecting 4 s"; "" for a source on
// this machine. The name of the host is as it was given: sanitise before showing.
func (l Link) String() string {
	if !l.IsRemote() {
		return ""
	}
	text := l.Host
	if l.Latency > 0 {
		text += " · " + units.ShortDuration(l.Latency)
	}
	if state := l.StateText(); state != "" {
		text += " · " + state
	}
	return text
}

// StateText is the state in words: "" while the link is up.
func (l Link) StateText() string {
	switch {
	case l.State == LinkConnecting:
		return "connecting"
	case l.State == LinkLost && l.Retry > 0:
		return "reconnecting " + units.ShortDuration(l.Retry)
	case l.State == LinkLost:
		return "reconnecting"
	}
	return ""
}

// Freshness says whether a log that is followed still grows.
type Freshness int

// The states, each after the one before it when nothing is written.
const (
	Live  Freshness = iota // also if it is unknown when the log was written
	Idle                   // nothing was written for longer than between two steps
	Ended                  // nothing was written for so long that the run has probably stopped
)

// The rule of freshness. A log is idle after twice the usual time between its steps without a
// write and ended after twenty times that, within these bounds; where no time between steps is
// known, after unknownIdle and maxEnded.
const (
	idleSteps, endedSteps = 2, 20
	minIdle, maxIdle      = 2 * time.Minute, 12 * time.Hour
	minEnded, maxEnded    = time.Hour, 24 * time.Hour
	unknownIdle           = 5 * time.Minute
)

// IdleAfter returns how long nothing must be written for the log to be idle.
func (p Progress) IdleAfter() time.Duration {
	if p.StepTime <= 0 {
		return unknownIdle
	}
	return min(max(idleSteps*min(p.StepTime, maxIdle), minIdle), maxIdle)
}

func (p Progress) endedAfter() time.Duration {
	if p.StepTime <= 0 {
		return maxEnded
	}
	return min(max(endedSteps*min(p.StepTime, maxEnded), minEnded), maxEnded)
}

// Freshness returns the state at a time.
func (p Progress) Freshness(now time.Time) Freshness {
	if p.Copied() {
		p.LastWrite = p.RowTime
	}
	switch quiet := now.Sub(p.LastWrite); {
	case p.LastWrite.IsZero() || quiet < p.IdleAfter():
		return Live
	case quiet < p.endedAfter():
		return Idle
	}
	return Ended
}

// Copied reports whether the rows are so much older than their file that this is a copy: what it says of the run is when it was copied.
func (p Progress) Copied() bool {
	return !p.RowTime.IsZero() && p.LastWrite.Sub(p.RowTime) > maxIdle
}

// timeFields are those in which trainers and loggers write when a row was made.
var timeFields = []string{"created_at", "timestamp", "_timestamp", "logged_at", "created", "datetime", "date"}

// TimeOf returns the time that a row gives itself: as RFC 3339 or a like format, in UTC unless it says another, or in seconds or
// milliseconds since 1970. It is zero if the row has none between 2015 and a day after now.
func TimeOf(t Text, now time.Time) time.Time {
	for _, name := range timeFields {
		for _, f := range t.Fields {
			if f.Name != name {
				continue
			}
			if at := parseTime(f.Value); at.Year() >= 2015 && at.Before(now.AddDate(0, 0, 1)) {
				return at
			}
		}
	}
	return time.Time{}
}

func parseTime(text string) time.Time {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x > 0 && x < 1e14 {
		if x > 1e11 {
			x /= 1000
		}
		return time.Unix(int64(x), 0)
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999", time.DateOnly,
	} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

// FreshnessText returns the state in words, "idle 14 min", which are true until the time until: no
// less than a minute later, and the zero time if they stay true while nothing is written.
func (p Progress) FreshnessText(now time.Time) (text string, until time.Time) {
	state := p.Freshness(now)
	if p.Copied() {
		p.LastWrite = p.RowTime
	}
	switch state {
	case Ended:
		return "ended", time.Time{}
	case Idle:
		quiet, unit, name := now.Sub(p.LastWrite), time.Minute, "min"
		if quiet >= time.Hour {
			unit, name = time.Hour, "h"
		}
		n := quiet / unit
		return fmt.Sprintf("idle %d %s", n, name), p.LastWrite.Add(min((n+1)*unit, p.endedAfter()))
	case Live:
	}
	if p.LastWrite.IsZero() {
		return "live", time.Time{}
	}
	return "live", p.LastWrite.Add(p.IdleAfter())
}

// FreshnessRule says when the log counts as idle and as ended.
func (p Progress) FreshnessRule() string {
	why := "time between steps unknown"
	if p.StepTime > 0 {
		why = "usually " + units.ApproxDuration(p.StepTime) + " between steps"
	}
	return fmt.Sprintf("idle after %s without a write, ended after %s (%s)", units.ApproxDuration(p.IdleAfter()),
		units.ApproxDuration(p.endedAfter()), why)
}

// IsLogged reports whether x is an advantage that a log has, be it NaN there.
func IsLogged(x float64) bool { return x == x || estimators.IsLoggedNaN(x) }
