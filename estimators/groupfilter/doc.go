// Package groupfilter decides which groups of a batch are trained on, by the rules of the frameworks, to
// the last flag.
//
// Words, shapes and numbers are those of package estimators. A group is admitted if at least one of its
// rows trains. Filters see the rewards before or after the advantages, as their Needs say, and change
// neither.
package groupfilter
