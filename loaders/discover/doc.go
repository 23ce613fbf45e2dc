// Package discover finds the logs below a directory.
//
// In: the path of a directory. Out: the logs in it ([List]), which of them are to be read
// ([Choose]), and whether some may have been added since ([Directory]). Source calls it. It opens
// directories only, follows no symbolic link, and bounds how deep it looks and how much it lists.
package discover
