//go:build !race

package loaders

const raceEnabled = false
