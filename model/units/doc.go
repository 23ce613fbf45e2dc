// Package units formats numbers, counts, shares and sizes for people, alike on the screen
// and in reports, which call it.
package units
