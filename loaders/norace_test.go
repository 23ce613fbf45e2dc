//go:build !race

package loaders

const raced = false
