package model

// chunkedList is a slice in chunks: it grows without copying its values, and a copy of it does not
// change when the original grows.
type chunkedList[T any] struct {
	chunks [][]T
	size   int
}

const listChunkSize = 1024

func (l *chunkedList[T]) append(x T) {
	if l.size%listChunkSize == 0 {
		l.chunks = append(l.chunks, make([]T, listChunkSize))
	}
	l.chunks[l.size/listChunkSize][l.size%listChunkSize] = x
	l.size++
}

func (l *chunkedList[T]) at(i int) T { return l.chunks[i/listChunkSize][i%listChunkSize] }
