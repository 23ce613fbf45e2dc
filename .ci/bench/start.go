// Command start measures how long a program takes from its start to its first frame in a
// terminal, and to the first group that it shows: median, least and most of so many runs.
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

// patience is how long a screen is waited for.
const patience = 20 * time.Second

func main() {
	runs, command := must(strconv.Atoi(os.Args[1])), os.Args[2:]
	var frame, groups []time.Duration
	for range runs {
		f, g := once(command)
		frame, groups = append(frame, f), append(groups, g)
	}
	fmt.Printf("first frame %s   first group %s\n", figures(frame), figures(groups))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func figures(all []time.Duration) string {
	slices.Sort(all)
	if all[0] < 0 {
		return "–"
	}
	return fmt.Sprintf("%5.1f ms (%.1f to %.1f)", milliseconds(all[len(all)/2]), milliseconds(all[0]), milliseconds(all[len(all)-1]))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// once starts the program in a terminal that answers nothing, reads what it draws until
// the first group is there, and kills it. Groups is negative if none comes soon.
func once(command []string) (frame, groups time.Duration) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8")
	begun := time.Now()
	tty := must(pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 36}))
	defer func() { _ = tty.Close() }()
	limit := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	var seen bytes.Buffer
	buffer := make([]byte, 1<<16)
	groups = -1
	for groups < 0 {
		n, err := tty.Read(buffer)
		if err != nil {
			break
		}
		seen.Write(buffer[:n])
		text := []byte(ansi.Strip(seen.String()))
		if frame == 0 && bytes.Contains(text, []byte("quit")) { // the hints are the last line of a frame
			frame = time.Since(begun)
			if os.Getenv("FIRST_FRAME_ONLY") != "" {
				break
			}
		}
		if frame > 0 && bytes.Contains(text, []byte("● alive")) {
			groups = time.Since(begun)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return frame, groups
}
