// Package glossary explains every figure that the program shows: its formula, its unit, what it means, and
// what trainers call it. The page .github/docs/glossary.md is written from it, and the screen can look a
// figure up. A figure is a line in the list of the place where it is shown; tests of the packages that
// show figures fail where one has no line.
package glossary
