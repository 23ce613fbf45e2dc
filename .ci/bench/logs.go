// Command logs makes logs to measure with: the rows of a verl dump with long texts,
// small rows, small rows of ever new prompts, or a CSV. It writes at least so many bytes
// to standard output; or, live, rows at a pace, each with the time of its writing.
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	kind, size := os.Args[1], must(strconv.ParseInt(os.Args[2], 10, 64))
	if kind == "live" {
		live(int(size))
		return
	}
	random := rand.New(rand.NewPCG(1, 2))
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	write := map[string]func(random *rand.Rand, n int) string{"verl": verl, "small": small, "fresh": fresh, "csv": csv}[kind]
	if kind == "csv" {
		size -= int64(must(out.WriteString("step,prompt,reward,completion\n")))
	}
	for n := 0; size > 0; n++ {
		size -= int64(must(out.WriteString(write(random, n))))
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// words are what the texts are made of; a newline is an escape, as in all model text.
const words = `Let us consider the triangle whose sides are given, so that the remainder is \\frac{3}{4}.\n\nFirst we note that x = 12 and therefore `

// prose is a text of about so many bytes, quoted and escaped.
func prose(random *rand.Rand, size int) string {
	from := random.IntN(len(words) / 2)
	for words[from] != ' ' {
		from++
	}
	return strings.Repeat(words, size/len(words)+1)[from : from+size/len(words)*len(words)+1]
}

// verl is a row of 2 to 20 KB, 16 of a prompt.
func verl(random *rand.Rand, n int) string {
	group := n / 16
	return fmt.Sprintf(`{"input": "user\n%d %s\nassistant\n", "output": "%s", "gts": "%d", "score": %d.0, "step": %d, "acc": %d.0}`+"\n",
		group, prose(rand.New(rand.NewPCG(uint64(group), 3)), 400), prose(random, 1600+random.IntN(18000)), group%97, random.IntN(2), group/64, random.IntN(2))
}

// small is a row of about 100 bytes: steps of 1,024 prompts × 16 from a pool of
// 50,000, as a run of several epochs has them.
func small(random *rand.Rand, n int) string {
	return row(random, n/16384, n/16%50_000)
}

// fresh is such a row of a run whose prompts never come again.
func fresh(random *rand.Rand, n int) string {
	return row(random, n/8192, n/8)
}

// cycle is three years in microseconds: what a time is beyond it has as many digits as the
// scores of a log.
const cycle = 1e14

// live writes so many rows a second for ten seconds, a write each millisecond.
func live(pace int) {
	written := 0
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(time.Millisecond) {
		var rows []byte
		now := time.Now().UnixMicro() % cycle
		for ; written < int(time.Since(begin).Seconds()*float64(pace)); written++ {
			rows = fmt.Appendf(rows, `{"step": 1, "group_id": %d, "reward": 0.5, "micros_reward": %d}`+"\n", written/8, now)
		}
		_ = must(os.Stdout.Write(rows))
	}
}

func row(random *rand.Rand, step, prompt int) string {
	return fmt.Sprintf(`{"step": %d, "group_id": %d, "prompt": "question %d", "reward": %.4f, "length": %d}`+"\n",
		step, prompt, prompt, random.Float64(), random.IntN(4096)+1)
}

func csv(random *rand.Rand, n int) string {
	return fmt.Sprintf("%d,question %d,%.4f,\"%s\"\n", n/8192, n/8, random.Float64(), strings.ReplaceAll(prose(random, 600), `\n`, "\n"))
}
