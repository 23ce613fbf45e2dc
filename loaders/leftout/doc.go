// Package leftout says which parts of the program are left out of the small build, which -tags lean makes.
//
// What needs a large library is a value in a list. The file that names the library has //go:build !lean, and a file beside it, with
// the same name and _lean at its end and //go:build lean, has a value that refuses with [Error]. Reading then says so of a file, and the command of what it was asked.
package leftout
