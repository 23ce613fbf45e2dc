package decode

import "slices"

// Clone returns a decoder for another part of the same file that knows what r has learned. Both then
// learn on their own.
func (r *RowDecoder) Clone() *RowDecoder {
	r.Note()
	r.Seen.Stop() // their provenance must not differ
	c := NewRowDecoder(r.Fields, "")
	c.Layout, c.HashResponses, c.FileName, c.FileStep, c.hasFileStep = r.Layout, r.HashResponses, r.FileName, r.FileStep, r.hasFileStep
	c.Learned, c.Seen, c.noted, c.Components = r.Learned, r.Seen, r.noted, r.Components.clone()
	return c
}

// SameNote reports whether a clone, whose note is n, has learned nothing that r does not know.
func (r *RowDecoder) SameNote(n Note) bool {
	have := r.Note()
	return have.Provenance == n.Provenance && have.LengthUnit == n.LengthUnit && have.HasTruth == n.HasTruth && slices.Equal(have.Components, n.Components)
}

// Reset makes r read another file with the same columns. It keeps the memory of prompts.
func (r *RowDecoder) Reset(name string) {
	r.FileName = name
	r.FileStep, r.hasFileStep = stepFromPath(name)
	r.Learned, r.noted = Learned{}, noteState{}
	r.Components.forget()
}
