// Package markup writes HTML and SVG into which no text can put markup.
//
// Names of elements and attributes, style and script are constants of the source: the compiler refuses a variable.
// Everything else is [Writer.Text] or the value of an attribute, and is escaped, with [Visible] for what a reader
// would not see. The report writes its pages with it. What is written is well-formed XML too, so tests can parse it.
package markup
