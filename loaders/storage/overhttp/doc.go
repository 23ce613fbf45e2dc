// Package overhttp is what storages that are asked over HTTP have in common.
//
// Out: what makes requests and does not wait forever ([NewTransport]), how the link is ([Meter]), and what is wrong with a
// network, in a sentence ([Failure]). Packages bucket and hub call it.
package overhttp
