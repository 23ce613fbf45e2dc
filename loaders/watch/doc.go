// Package watch says when to look at files again while they are followed.
//
// In: paths to watch, how many rows came, how long to sleep. Out: events of the kernel
// ([Watcher]), the end of a pause ([Debounce]), the end of a sleep ([Sleeper]). Source calls it;
// it knows nothing of logs and reads none.
package watch
