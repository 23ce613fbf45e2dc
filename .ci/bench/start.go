// Command start measures how long a program takes from its start to its first frame in a
// terminal, and to the first group in a frame. It prints median, minimum and maximum.
//
//	start RUNS PROGRAM ARGUMENT...
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

const timeout = 20 * time.Second

func main() {
	runs, command := must(strconv.Atoi(os.Args[1])), os.Args[2:]
	var frames, groups []time.Duration
	for range runs {
		frame, group := measure(command)
		frames, groups = append(frames, frame), append(groups, group)
	}
	fmt.Printf("first frame %s   first group %s\n", summary(frames), summary(groups))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func summary(times []time.Duration) string {
	slices.Sort(times)
	if times[0] < 0 {
		return "–"
	}
	return fmt.Sprintf("%5.1f ms (%.1f to %.1f)", milliseconds(times[len(times)/2]), milliseconds(times[0]), milliseconds(times[len(times)-1]))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measure starts the program in a terminal that answers no queries, reads its output up to
// the first group, and kills it. The time to the group is negative if there is none.
func measure(command []string) (frame, group time.Duration) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8")
	start := time.Now()
	tty := must(pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 36}))
	defer func() { _ = tty.Close() }()
	timer := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var output bytes.Buffer
	buffer := make([]byte, 1<<16)
	group = -1
	for group < 0 {
		n, err := tty.Read(buffer)
		if err != nil {
			break
		}
		output.Write(buffer[:n])
		text := []byte(ansi.Strip(output.String()))
		if frame == 0 && bytes.Contains(text, []byte("quit")) { // in the hints, the last line of a frame
			frame = time.Since(start)
			if os.Getenv("FIRST_FRAME_ONLY") != "" {
				break
			}
		}
		if frame > 0 && showsGroup(text) {
			group = time.Since(start)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return frame, group
}

// showsGroup reports whether a frame shows a group, in either first view. Those of a log that was written a moment ago are open.
func showsGroup(text []byte) bool {
	return slices.ContainsFunc([]string{"● alive", "● signal", "… open"}, func(fate string) bool { return bytes.Contains(text, []byte(fate)) })
}
