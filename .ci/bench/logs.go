// Command logs writes logs for benchmarks to standard output.
//
//	logs KIND BYTES   at least so many bytes of one kind:
//	                  verl: dump of verl with long texts
//	                  small: short rows with prompts of a pool
//	                  fresh: short rows with prompts that do not repeat
//	                  csv: CSV with texts of several lines
//	                  nemo: train_data of NeMo-RL, with log-probs of the tokens
//	logs steps ROWS   so many short rows without prompts, in steps of 1,024 and groups of 16
//	logs live ROWS    so many rows a second for ten seconds, each with its time of writing
package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	kind, n := os.Args[1], must(strconv.Atoi(os.Args[2]))
	if kind == "live" {
		writeLive(n)
		return
	}
	random := rand.New(rand.NewPCG(1, 2))
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	if kind == "steps" {
		writeSteps(out, random, n)
		n = 0
	}
	row := map[string]func(random *rand.Rand, i int) string{"verl": verlRow, "small": smallRow, "fresh": freshRow, "csv": csvRow,
		"nemo": nemoRow}[kind]
	if kind == "csv" {
		n -= must(out.WriteString("step,prompt,reward,completion\n"))
	}
	for i := 0; n > 0; i++ {
		n -= must(out.WriteString(row(random, i)))
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

// sentence is what texts repeat, escaped for JSON.
const sentence = `Let us consider the triangle whose sides are given, so that the remainder is \\frac{3}{4}.\n\nFirst we note that x = 12 and therefore `

// prose returns a text of about size bytes, escaped for JSON.
func prose(random *rand.Rand, size int) string {
	start := random.IntN(len(sentence) / 2)
	for sentence[start] != ' ' {
		start++
	}
	return strings.Repeat(sentence, size/len(sentence)+1)[start : start+size/len(sentence)*len(sentence)+1]
}

// verlRow returns a row of 2 to 20 KB; a prompt has 16 rows.
func verlRow(random *rand.Rand, i int) string {
	group := i / 16
	return fmt.Sprintf(`{"input": "user\n%d %s\nassistant\n", "output": "%s", "gts": "%d", "score": %d.0, "step": %d, "acc": %d.0}`+"\n",
		group, prose(rand.New(rand.NewPCG(uint64(group), 3)), 400), prose(random, 1600+random.IntN(18000)), group%97, random.IntN(2), group/64,
		random.IntN(2))
}

// smallRow returns a row of about 100 bytes of a run of several epochs: a step has 1,024
// prompts of 16 rows, from a pool of 50,000 prompts.
func smallRow(random *rand.Rand, i int) string { return shortRow(random, i/16384, i/16%50_000) }

// freshRow returns a row like smallRow of a run whose prompts do not repeat.
func freshRow(random *rand.Rand, i int) string { return shortRow(random, i/8192, i/8) }

func shortRow(random *rand.Rand, step, prompt int) string {
	return fmt.Sprintf(`{"step": %d, "group_id": %d, "prompt": "question %d", "reward": %.4f, "length": %d}`+"\n",
		step, prompt, prompt, random.Float64(), random.IntN(4096)+1)
}

func csvRow(random *rand.Rand, i int) string {
	return fmt.Sprintf("%d,question %d,%.4f,\"%s\"\n", i/8192, i/8, random.Float64(), strings.ReplaceAll(prose(random, 600), `\n`, "\n"))
}

// nemoRow returns a row as NeMo-RL writes it: a prompt of 128 tokens and an answer, padded to 1,280 tokens, each float32 as the
// float64 that it is.
func nemoRow(random *rand.Rand, i int) string {
	const prompt, longest = 128, 1280
	length := prompt + 256 + random.IntN(longest-prompt-256)
	push := []float64{-0.5, 0.5}[random.IntN(2)]
	lists := map[string][]string{}
	add := func(name string, value any) { lists[name] = append(lists[name], fmt.Sprint(value)) }
	for t := range longest {
		trains, sampler, d := 0, 0.0, 0.0
		if t >= prompt && t < length {
			trains, sampler, d = 1, -0.4*random.ExpFloat64(), 0.02*random.NormFloat64()
		}
		add("token_ids", random.IntN(150_000))
		add("token_loss_mask", trains)
		add("advantages", push)
		add("generation_logprobs", float64(float32(sampler)))
		add("prev_logprobs", float64(float32(min(0, sampler+d))))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"content": [["%s"]], "rewards": [%v], "input_lengths": [%d], "sample_loss_mask": [1.0], "idx": %d`,
		prose(random, 4*(length-prompt)), push+0.5, length, i)
	for _, name := range []string{"token_ids", "token_loss_mask", "advantages", "generation_logprobs", "prev_logprobs"} {
		fmt.Fprintf(&b, `, "%s": [[%s]]`, name, strings.Join(lists[name], ", "))
	}
	return b.String() + "}\n"
}

// writeSteps writes rows whose reward lies around one of the group, cut to 0 and 1, so that some groups are all right or all wrong.
func writeSteps(out io.Writer, random *rand.Rand, rows int) {
	middle := 0.0
	for i := range rows {
		if i%16 == 0 {
			middle = 1.8*random.Float64() - 0.4
		}
		_ = must(fmt.Fprintf(out, `{"step": %d, "group_id": %d, "reward": %.4f, "completion_length": %d}`+"\n",
			i/1024, i/16, min(1, max(0, middle+random.NormFloat64()/4)), random.IntN(4096)+1))
	}
}

// maxMicros is three years in microseconds: times are written modulo it, since the rewards of
// a log do not have more digits.
const maxMicros = 1e14

// writeLive writes rowsPerSecond rows a second for ten seconds, once a millisecond.
func writeLive(rowsPerSecond int) {
	written := 0
	for start := time.Now(); time.Since(start) < 10*time.Second; time.Sleep(time.Millisecond) {
		var rows []byte
		now := time.Now().UnixMicro() % maxMicros
		for ; written < int(time.Since(start).Seconds()*float64(rowsPerSecond)); written++ {
			rows = fmt.Appendf(rows, `{"step": 1, "group_id": %d, "reward": 0.5, "micros_reward": %d}`+"\n", written/8, now)
		}
		_ = must(os.Stdout.Write(rows))
	}
}
