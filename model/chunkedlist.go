package model

// list is a slice that grows in chunks, so that what it holds is never copied: a copy
// of it stays as it is while the list goes on.
type list[T any] struct {
	chunks [][]T
	size   int
}

const listChunk = 1024

func (l *list[T]) append(x T) {
	if l.size%listChunk == 0 {
		l.chunks = append(l.chunks, make([]T, listChunk))
	}
	l.chunks[l.size/listChunk][l.size%listChunk] = x
	l.size++
}

func (l *list[T]) at(i int) T { return l.chunks[i/listChunk][i%listChunk] }
