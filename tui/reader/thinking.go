package reader

// thinking is when <think> sections are shown in full.
type thinking int
