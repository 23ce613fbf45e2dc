package model

import (
	"strconv"
	"time"

	"vantage/model/sanitize"
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
	Advantage   float64   // as logged; NaN if not
	Length      int32     // of the response, in Chunk.LengthUnit; -1 if unknown
	File        int32     // index into Chunk.Files
	Line        int64     // 1-based line of the record in its file
	Offset      int64     // byte offset of the record in its file
	IndexInLine int32     // index of the record in its line: some trainers write a step in one line
}

// Place is where the text of a sample is.
type Place struct {
	File        int32 // index into Run.Files
	IndexInLine int32 // index of the record in its line
	Offset      int64 // byte offset of the line
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
	StepTime  time.Duration // usual time between two steps; 0 if unknown
	Tried     int           // rows that were looked at for a format, and fit none
	Link      Link          // to the machine that the rows are on; the zero value if they are on this one
}

// Chunk is a bounded number of samples in input order, as a loader hands them over. It belongs to
// the receiver.
type Chunk struct {
	Format         string   // name of the format: "verl", "jsonl"
	Framework      string   // whose arithmetic the format's trainer uses, as in package estimators; "" if unknown
	Provenance     string   // one sentence: which fields of the log play which role
	Files          []string // indexed by Record.File, relative to the opened path; later chunks may append names
	FileRuns       []int32  // number of the run, from 0, that each of Files belongs to; nil if all are of one
	Records        []Record
	Blocks         []Block       // more samples, after those of Records
	Attempts       *Attempts     // which rows are left out from now on; nil if that has not changed
	Forget         []int32       // files that are read again from the start: their earlier samples are dropped
	Untrained      map[int32]int // how many more traces of each file are of agents that are not trained: they are no samples
	ComponentNames []string      // reward functions, in the order of Record.Components and Block.Components
	Notes          []string      // sentences that say what was left out or counted once, and why
	Evaluation     *Evaluation   // what is known now of evaluations among the rows, to replace what was known before; nil if that has not changed
	LengthUnit     LengthUnit
	HasTruth       bool // prompt hashes cover the ground truth too
	HasTotal       bool // some reward is a field of the log
	SumsComponents bool // some reward is the sum of the components, since the log has no total, and nothing says which are rewards
	Positional     bool // position may be used for grouping (not in verl files)
	Problems       []Problem
	Skipped        int // records that could not be read since the last chunk, less those of Forget; Problems may list fewer
	Progress       Progress

	RewardNames     []string // names that the trainer says are reward functions; nil if it does not say
	RewardNamesFrom string   // the file in which it does
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
		"the log has no lengths: figures that trainers weight by tokens count each sample once",
		"in tokens",
		"the log has no token counts: figures that trainers weight by tokens are weighted by characters",
	}[u]
}
