package model

import (
	"strconv"

	"vantage/model/sanitize"
)

// Record is one sample as a loader read it. Text is not kept: it stays in the
// file and is found again by File and Offset.
type Record struct {
	Step        int64
	Group       string    // an explicit group id of the log, "" if it has none; checked before it is believed
	Prompt      uint64    // hash of prompt and ground truth, 0 if the log has no prompt
	Preview     string    // what a person recognises the prompt by: at most 160 bytes of its text, as logged, not sanitised
	Reward      float64   // estimators.MissingReward() where the log has none
	Components  []float64 // what each of Chunk.Components gave, NaN where it gave nothing; nil if the log has none
	Advantage   float64   // as logged; NaN if not
	Length      int32     // of the response, in Chunk.LengthUnit; -1 if unknown
	File        int32     // index into Chunk.Files
	Line        int64     // 1-based line of the record in its file
	Offset      int64     // byte offset of the record in its file
	IndexInLine int32     // which record of its line it is, from 0: some trainers write a step in one line
}

// Place is where the text of a sample stands.
type Place struct {
	File        int32 // index into Run.Files
	IndexInLine int32 // which record of the line
	Offset      int64 // byte offset of the line
}

// Text is what a sample says, as logged: sanitise before showing.
type Text struct {
	Prompt, Response, Truth string
	Fields                  []Field // the rest of the record, in its order
}

// Field is one more value of a record, as text.
type Field struct{ Name, Value string }

// LengthUnit says what response lengths count.
type LengthUnit int

// The units, from the one that trainers weight by to the ones that stand in for it.
const (
	LengthUnknown LengthUnit = iota
	LengthTokens
	LengthCharacters
)

// Problem is a place in the input that could not be read. It never stops a file.
type Problem struct {
	File   string
	Line   int64 // 1-based; 0 if the file as a whole
	Reason string
}

// Progress is how far a source has come.
type Progress struct {
	Files     int   // log files found
	BytesRead int64 // of all files
	BytesAll  int64 // size of all files as last seen; 0 if it comes from none (stdin)
	CaughtUp  bool  // all that is there has been read
	Open      bool  // the newest step is still being written
	Polling   bool  // no change notifications here: the files are looked at from time to time
}

// Chunk is what a loader hands over at a time: bounded in count, records in
// input order. It belongs to the receiver.
type Chunk struct {
	Format         string   // name of the format: "verl", "jsonl"
	Provenance     string   // one sentence: which fields were taken for what
	Files          []string // names that Record.File indexes, relative to the opened path; may grow from chunk to chunk, never reordered
	Records        []Record
	Blocks         []Block  // more samples, after those of Records
	Forget         []int32  // files that are read anew from the start: their earlier records no longer count
	ComponentNames []string // names of the reward functions that Record.Parts and Block.Parts are in the order of
	Notes          []string // sentences about what was left out or counted once, and why
	LengthUnit     LengthUnit
	HasTruth       bool // the prompt hash covers a ground truth too
	Positional     bool // grouping by position is permitted (never for verl files)
	Problems       []Problem
	Skipped        int // how many records could not be read since the last chunk; Problems may list fewer
	Progress       Progress
}

// Where says where it is, for a person: file:line, or the file.
func (p Problem) Where() string {
	if p.Line == 0 {
		return sanitize.Line(p.File)
	}
	return sanitize.Line(p.File) + ":" + strconv.FormatInt(p.Line, 10)
}

// String says where and why, for a person: file:line: reason.
func (p Problem) String() string { return p.Where() + ": " + sanitize.Line(p.Reason) }

// String is the unit's name.
func (u LengthUnit) String() string {
	return [...]string{"unknown", "tokens", "characters"}[u]
}

// Doc says how the unit bears on the figures that trainers weight by tokens.
func (u LengthUnit) Doc() string {
	return [...]string{
		"the log has no lengths: figures that trainers weight by tokens count each sample once",
		"in tokens",
		"the log has no token counts: figures that trainers weight by tokens are weighted by characters",
	}[u]
}
