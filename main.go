// Command vantage explores the reward logs of reinforcement-learning runs. It recomputes
// the advantages under any estimator, scale and sample filter, in the trainer's own
// arithmetic, while the log grows.
package main

import (
	"os"
	"runtime"

	"vantage/internal/commands"
)

func main() {
	runtime.LockOSThread() // the kernel hands signals to the first thread, which must wait for no disk: that would hold them too
	os.Exit(commands.Run(os.Args[1:]))
}
