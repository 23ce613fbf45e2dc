// Package check evaluates rules with thresholds, such as killed>5%, on the analysed steps
// of a run. Rules go in as text, then step after step; findings per rule come out of an
// [Evaluator], transitions between passing and failing out of a [Monitor]. The check
// command calls it, for scripts that decide by an exit code.
package check
