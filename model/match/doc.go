// Package match finds the estimator that wrote the advantages of a log. It takes a
// snapshot, computes the advantages under every framework, estimator and scale that the
// log has the columns for, compares them with the logged ones and returns a [Report]. The
// match command, the screen and report's note on logged advantages call it.
//
// A logged advantage is equal to a computed one (in every bit of the framework's precision, or but
// for one float32 unit in the last place: see [Verdict.Equal]), near it (within 1e-6 of the largest
// advantage of its group, or the estimator's own tolerance, see [analysis.LoggedTolerance]), or off.
// If no estimator is near everywhere and the log was written with three to seven decimals, near means
// equal after rounding to these. If still none is, groups with fewer samples than the others are left
// out: the log may have been cut. If still none is, other groups are tried, such as each 8 consecutive
// rows of a prompt: those that match are proved, and package choice takes them.
package match
