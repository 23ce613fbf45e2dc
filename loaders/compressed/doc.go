// Package compressed decompresses gzip and zstd files, reads the samples of torch files and tables of Arrow as text, and finds a place in their text again.
//
// Package loaders detects the [Packing] of a file and reads its text from a [Decompressor],
// which works concurrently. An [Index] keeps what makes a later [Index.TextAt] fast:
// checkpoints inside gzip files, and the text around what was read last. A zstd file is
// decompressed from its start: no trainer writes them. So is a torch file, whose samples are in a pickle.
package compressed
