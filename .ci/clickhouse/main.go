// Command clickhouseserver is a ClickHouse server for tests. It runs the clickhouse-local of libchdb.so, which
// can listen, with a configuration file that the test writes, until its standard input ends:
//
//	LIBCHDB=/path/to/libchdb.so clickhouseserver config.xml
//
// A test that dies closes the pipe, so no server is left behind.
package main

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// listen is what clickhouse-local is told: to listen, and then to read its input, which never comes, to the end.
const listen = "SYSTEM START LISTEN TCP; SELECT count() FROM file('-', 'LineAsString', 'line String') FORMAT Null"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: LIBCHDB=/path/to/libchdb.so clickhouseserver CONFIG")
		os.Exit(2)
	}
	if err := serve(os.Getenv("LIBCHDB"), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve returns when the standard input has ended.
func serve(library, config string) error {
	lib, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return err
	}
	var query func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	purego.RegisterLibFunc(&query, lib, "query_stable_v2")
	var pinned runtime.Pinner
	defer pinned.Unpin()
	var argv []*byte
	for _, arg := range []string{"clickhouse", "--config-file=" + config, "--query=" + listen} {
		text := append([]byte(arg), 0)
		pinned.Pin(&text[0])
		argv = append(argv, &text[0])
	}
	pinned.Pin(&argv[0])
	query(int32(len(argv)), unsafe.Pointer(&argv[0]))
	return nil
}
