package illruns

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Genre is what the prompts of a run ask for, and so what an ordinary answer looks like.
type Genre string

// The genres.
const (
	Math     Genre = "math"     // sentences and \boxed
	Thinking Genre = "thinking" // <think> … </think>, and then the answer
	Code     Genre = "code"     // a function in a fenced block
	Chat     Genre = "chat"     // sentences for a reward model
	Chinese  Genre = "chinese"
	Japanese Genre = "japanese"
	Choice   Genre = "choice" // a letter: answers to a prompt are often equal
)

// Task is a prompt with what its answers are about.
type Task struct {
	ID       int
	Prompt   string
	Truth    string
	Source   string
	Hardness float64 // an answer is right with probability Skill^Hardness
	Genre    Genre

	noun, other, name string
	x, y              int
}

// language is what sentences are made of: {n} and {m} are the nouns of the task, {p} its person, {x} and {y} its numbers, {k} any number
// and {v} a variable.
type language struct {
	names, nouns []string
	questions    []string
	sentences    []string
	last         string // sentence, with the answer in {a}
}

func languages() map[Genre]language {
	people := strings.Fields("Ada Bela Chen Dora Emil Farah Goran Hana Ivo Jun Kofi Lena Mira Nils Olga Pavel Rosa Sami Tess Uma")
	things := strings.Fields("apples tiles coins stamps bricks pencils marbles chairs tickets shells lamps books kites cards ropes " +
		"wheels eggs cups maps keys")
	math := language{
		names: people, nouns: things, last: `Therefore the final answer is $\boxed{{a}}$.`,
		questions: []string{
			"{p} has {x} {n} and gives away a part for {y} {m}. How many {n} are left? Task {i}.",
			"A box holds {x} {n} in rows of {y}. {p} adds some {m}. How many are there now? (No. {i})",
			"{i}. If {x} {n} cost as much as {y} {m}, what is the price of all of them together for {p}?",
		},
		sentences: []string{
			"Let ${v}$ be the number of {n} that {p} has at first.", "We are told that there are {x} {n} and {y} {m}.",
			"Adding {k} to both sides gives ${v} = {k}$.",
			"So the total becomes {k}, since each of the {n} counts once.", "Dividing {k} by {y} leaves a remainder of {k}.",
			"Wait, I should check that again.",
			"If ${v} = {k}$, then $2{v} + {y} = {k}$, which is too large.", "Now look at the {m}: there must be at least {k} of them.",
			"This means that {p} keeps {k} {n}.",
			"Let me compute ${x} \\times {k} = {k}$.", "Substituting ${v} = {k}$ into the equation, we get {k}.",
			"The second condition says that the {m} are worth {k} each.",
			"Hmm, that does not match what is given about the {n}.", "Alternatively, count the {n} row by row: {k}, then {k}.",
			"We can factor ${k} = {k} \\cdot {k}$.",
			"Because {x} is greater than {y}, some {m} remain.", "First, find how many {n} fit into one row.",
			"That leaves {k} of the {x} {n} for {p}.",
			"Using the ratio ${x}:{y}$, the {m} make up {k} parts.", "Both sides agree when ${v}$ is {k}.",
			"Next, subtract the {k} {m} that were counted twice.",
			"In total this gives $\\frac{{k}}{{y}}$ for each of the {n}.", "Let us verify with a small case, ${v} = {k}$.",
			"It follows that the {n} cannot be more than {k}.",
			"The sum of the first {k} terms is {k}.", "So far we have {k} {n} and {k} {m}.", "Rounding down, {p} needs {k} rows.",
			"Then the difference is ${k} - {k} = {k}$.",
			"Combining the two equations removes ${v}$.", "Each time {p} trades, {k} {m} become {k} {n}.",
		},
	}
	chat := language{
		names: people, nouns: strings.Fields("gardens bicycles recipes meetings budgets novels museums bakeries puppies harbours choirs " +
			"letters markets teachers winters holidays kitchens interviews laptops rivers"),
		last: "In short, for {p} option {a} is what I would suggest.",
		questions: []string{
			"{p} asks for advice about {n} and {m}. What would you say? ({i})", "Write a short note to {p} on why {n} matter more than " +
				"{m}. Request {i}",
			"Question {i}: how should a town of {x} people plan its {n} with only {y} {m}?",
		},
		sentences: []string{
			"There is no single right way to think about {n}.", "For most people, {m} are a good place to begin.",
			"{p} may want to set aside about {k} hours for it.", "I would start small and see what works.",
			"It helps to write down what matters before choosing between {n} and {m}.", "A friend of mine spent {k} days on {n} and " +
				"never regretted it.", "On the other hand, {m} can become expensive, often beyond {k} a month.",
			"If that sounds like too much, try half of it first.", "Good {n} have one thing in common: somebody cares about them.",
			"Ask {p} what went wrong the last time.", "You could also talk to neighbours about {m}.",
			"Many guides say {k}, but that depends on the season.", "Keep a list, and cross out what you do not need.",
			"The trouble with {n} is that nobody sees the work behind them.", "After {k} weeks you will know more.",
			"That said, patience matters more than money.", "Some prefer {m}, and there is nothing wrong with that.",
			"Remember to leave room for surprises.", "A simple plan for {n} beats a perfect one that never starts.",
			"In my view the choice is easier than it looks.", "Perhaps {p} could visit a place where {m} are done well.",
			"What counts in the end is how it feels after {k} tries.",
		},
	}
	code := language{
		names: people, nouns: strings.Fields("items rows nodes words pairs edges prices scores tokens lines weights paths values " +
			"chunks slots"), last: "    return {a}\n```\nIt runs in O(n).",
		questions: []string{
			"Write a function solve_{i} that takes {n} and returns the {m} below {x}, at most {y} of them.",
			"Task {i}. Given a list of {n}, count the {m} that appear more than {y} times out of {x}.",
		},
		sentences: []string{
			"    {v} = len({n}) + {k}\n", "    for {v} in range({k}, len({n})):\n        {m}.append({n}[{v}] * {k})\n",
			"    if {v} > {k}:\n        {v} -= {y}\n", "    {m} = sorted({n}, key=lambda {v}: -{v})[:{k}]\n",
			"    # keep only the {m} below {k}\n", "    {m} = [{v} for {v} in {n} if {v} % {k} == 0]\n",
			"    while {v} < {x}:\n        {v} += {k}\n", "    seen = set({n}[:{k}])\n", "    total = sum({m}) - {k}\n",
			"    assert {v} >= 0, \"{n} must hold {k}\"\n", "    lookup = {str({v}): {k} for {v} in {m}}\n",
			"    try:\n        {v} = int({n}[{k}])\n    except IndexError:\n        {v} = {k}\n", "    left, right = {k}, len({m}) - {k}\n",
			"    counts[{v}] = counts.get({v}, {k}) + 1\n", "    {n} = list(map(abs, {n}))\n", "    best = max(best, {v} + {k})\n",
		},
	}
	chinese := language{
		names: strings.Fields("小明 小红 李华 王芳 张伟 陈静"), nouns: strings.Fields("苹果 铅笔 邮票 砖块 车票 椅子 贝壳 鸡蛋 书本 卡片 硬币 灯笼"),
		last:      `因此最终答案是 $\boxed{{a}}$。`,
		questions: []string{"第{i}题：{p}有{x}个{n}，又得到{y}个{m}，请问一共有多少个？", "{p}把{x}个{n}分成{y}组，还剩下多少个{m}？（编号{i}）"},
		sentences: []string{
			"首先，设{n}的数量为${v}$。", "题目告诉我们有{x}个{n}和{y}个{m}。", "两边同时加上{k}，得到${v}={k}$。", "所以总数变成了{k}个。", "等一下，我需要再检查一遍。",
			"如果${v}={k}$，那么结果太大了。",
			"接下来考虑{m}：至少有{k}个。", "这说明{p}还剩下{k}个{n}。", "把${v}={k}$代入方程，可以求出{k}。", "换一种方法，一行一行地数：先是{k}，再是{k}。", "因为{x}大于{y}，所以还有多余的{m}。",
			"根据比例，{m}占了{k}份。",
			"这与已知条件不符。", "由此可知{n}不会超过{k}个。", "前{k}项的和等于{k}。", "然后减去重复计算的{k}个{m}。", "我们可以用一个小例子来验证。", "两个方程相减，消去${v}$。",
		},
	}
	japanese := language{
		names: strings.Fields("太郎 花子 健一 美咲 翔太"), nouns: strings.Fields("りんご 鉛筆 切手 椅子 切符 本 カード たまご 硬貨 ランプ"),
		last:      `したがって、答えは $\boxed{{a}}$ です。`,
		questions: []string{"問{i}：{p}さんは{n}を{x}個、{m}を{y}個持っています。全部でいくつですか。", "{p}さんが{n}{x}個を{y}人で分けると、{m}はいくつ余りますか。（{i}）"},
		sentences: []string{
			"まず、{n}の数を${v}$とおきます。", "問題によると、{n}は{x}個あります。", "両辺に{k}を足すと、${v}={k}$になります。", "つまり、合計は{k}個です。", "もう一度確認してみましょう。",
			"次に{m}について考えます。", "これを代入すると{k}が得られます。",
			"{x}は{y}より大きいので、{m}が余ります。", "ここから{k}を引けばよいことがわかります。", "この条件は{n}が{k}個以下であることを意味します。", "別の方法でも同じ結果になります。", "比を使うと、{m}は{k}に当たります。",
			"小さい例で確かめると正しいです。",
		},
	}
	choice := language{
		names: people, nouns: things, last: "The answer is ({a}).",
		questions: []string{"Question {i}. Which of these is true for {p}'s {x} {n} and {y} {m}? (A) all (B) none (C) some (D) one"},
		sentences: math.sentences,
	}
	return map[Genre]language{Math: math, Thinking: math, Code: code, Chat: chat, Chinese: chinese, Japanese: japanese, Choice: choice}
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// newTask makes up a task.
func (l *language) newTask(rng *rand.Rand, id int, genre Genre, source string, hardness float64) *Task {
	t := &Task{
		ID: id, Source: source, Hardness: hardness, Genre: genre, noun: pick(rng, l.nouns), other: pick(rng, l.nouns),
		name: pick(rng, l.names), x: 20 + rng.IntN(400), y: 2 + rng.IntN(17),
	}
	t.Truth = strconv.Itoa(rng.IntN(2000))
	if genre == Choice {
		t.Truth = string(rune('A' + rng.IntN(4)))
	}
	t.Prompt = strings.ReplaceAll(t.fill(rng, pick(rng, l.questions)), "{i}", strconv.Itoa(id))
	return t
}

// fill replaces the slots of a sentence.
func (t *Task) fill(rng *rand.Rand, s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 || i+2 >= len(s) {
			return b.String() + s
		}
		b.WriteString(s[:i])
		slot := ""
		if s[i+2] == '}' {
			switch s[i+1] {
			case 'n':
				slot = t.noun
			case 'm':
				slot = t.other
			case 'p':
				slot = t.name
			case 'x':
				slot = strconv.Itoa(t.x)
			case 'y':
				slot = strconv.Itoa(t.y)
			case 'k':
				slot = strconv.Itoa(2 + rng.IntN(t.x*2))
			case 'v':
				slot = string("nxkmtab"[rng.IntN(7)])
			}
		}
		if slot == "" {
			b.WriteByte('{')
			s = s[i+1:]
			continue
		}
		b.WriteString(slot)
		s = s[i+3:]
	}
}

// sentences returns about so many words of an answer, no sentence right after itself.
func (l *language) write(rng *rand.Rand, t *Task, words int) string {
	var b strings.Builder
	gap, last := " ", -1
	if t.Genre == Code || t.Genre == Chinese || t.Genre == Japanese {
		gap = ""
	}
	for n := 0; n < words; {
		i := rng.IntN(len(l.sentences))
		if i == last {
			continue
		}
		last = i
		s := t.fill(rng, l.sentences[i])
		n += wordsOf(s)
		b.WriteString(s)
		b.WriteString(gap)
		if rng.IntN(7) == 0 && gap != "" {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// answer returns the text of an answer that ends with a final one.
func (l *language) answer(rng *rand.Rand, t *Task, words int, final string) string {
	last := strings.ReplaceAll(strings.ReplaceAll(l.last, "{a}", final), "{p}", t.name)
	words -= wordsOf(last)
	switch t.Genre {
	case Choice:
		return last
	case Thinking:
		return "<think>\n" + l.write(rng, t, words) + "\n</think>\n\n" + last
	case Code:
		return "```python\ndef solve(" + t.noun + ", " + t.other + "=None):\n" + l.write(rng, t, words) + last
	default:
		return l.write(rng, t, words) + last
	}
}

// refusal is the same sentence for all tasks.
func (l *language) refusal() string {
	switch {
	case strings.Contains(l.last, "答え"):
		return "申し訳ありませんが、お答えできません。"
	case strings.HasSuffix(l.last, "。"):
		return "抱歉，我无法回答这个问题。"
	}
	return "I cannot help with that."
}

// wordsOf counts words; two characters of a script without spaces are one.
func wordsOf(s string) int {
	n, wide, in := 0, 0, false
	for _, r := range s {
		switch {
		case isWide(r):
			wide, in = wide+1, false
		case unicode.IsSpace(r):
			in = false
		case !in:
			n, in = n+1, true
		}
	}
	return n + wide/2
}

func isWide(r rune) bool { return r >= 0x2e80 && r < 0xff00 }

// cut returns the text up to so many tokens, and how many it has of those: a token is up to five letters of a word, a digit,
// a sign or a wide character. limit 0 is none.
func cut(s string, limit int) (string, int) {
	n, run := 0, 0
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) && !isWide(r):
			if run%5 == 0 {
				n++
			}
			run++
		case unicode.IsSpace(r):
			run = 0
		default:
			n++
			run = 0
		}
		if limit > 0 && n > limit {
			return strings.TrimRight(s[:i], " "), limit
		}
	}
	return s, n
}

// A spoiler makes of an answer what a model writes that comes apart; the length stays about the same.
type spoiler func(rng *rand.Rand, t *Task, text string) string

// half returns the beginning of a text, up to a share of it.
func half(text string, share float64) string {
	i := int(share * float64(len(text)))
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return text[:i]
}

// repeatsItself begins well and then says the same sentence until it ends.
func repeatsItself(rng *rand.Rand, t *Task, text string) string {
	l := languages()[t.Genre]
	begin, phrase := half(text, 0.1+0.2*rng.Float64()), t.fill(rng, pick(rng, l.sentences))+" "
	return begin + " " + strings.Repeat(phrase, 3+(len(text)-len(begin))/len(phrase))
}

// stutters says a word over and over.
func stutters(rng *rand.Rand, _ *Task, text string) string {
	begin, word := half(text, 0.3*rng.Float64()), pick(rng, strings.Fields("the so ha okay and 的 ___ \\n 0 step"))+" "
	return begin + strings.Repeat(word, 10+(len(text)-len(begin))/len(word))
}

// mixesLanguages is a salad of pieces of words of many languages.
func mixesLanguages(rng *rand.Rand, _ *Task, text string) string {
	pieces := strings.Fields("的是 を使用 ничего 않는다 ción _PARAM Übers المست ไม่ได้ ości (){}; kwargs здесь 進行 ização ̈ng 여러 ::std גם ση ưởng " +
		"^{-} ってい \\u00 ähr лаг 了一 ]];")
	begin := half(text, 0.2*rng.Float64())
	var b strings.Builder
	b.WriteString(begin)
	for n := len(text) - len(begin); n > 0; {
		piece := pick(rng, pieces)
		n -= len(piece) + 1
		b.WriteString(piece)
		if rng.IntN(3) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// switchesLanguage goes on in a language that nobody asked for.
func switchesLanguage(rng *rand.Rand, t *Task, text string) string {
	to := Chinese
	if t.Genre == Chinese || t.Genre == Japanese {
		to = Math
	}
	l := languages()[to]
	stranger := *t
	stranger.Genre, stranger.noun, stranger.other, stranger.name = to, pick(rng, l.nouns), pick(rng, l.nouns), pick(rng, l.names)
	begin := half(text, 0.3*rng.Float64())
	return begin + l.write(rng, &stranger, wordsOf(text)-wordsOf(begin))
}

// leaksTokens strews control tokens and broken characters among the words.
func leaksTokens(rng *rand.Rand, _ *Task, text string) string {
	tokens := []string{
		"<|endoftext|>", "<|im_start|>user", "<|im_end|>", "<|reserved_special_token_12|>", "</s>", "[/INST]", "<pad>",
		"\ufffd\ufffd", "<|eot_id|>",
	}
	words := strings.SplitAfter(text, " ")
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w)
		if rng.IntN(4) == 0 {
			b.WriteString(pick(rng, tokens))
		}
	}
	b.WriteString(pick(rng, tokens))
	return b.String()
}

func saysNothing(*rand.Rand, *Task, string) string { return "" }

// typesNoise is letters and signs without words.
func typesNoise(rng *rand.Rand, _ *Task, text string) string {
	const signs = "qzxjkvwpbmrtsdlhgnfaeiouyQZXKV0123456789#@%&*~|/<>=+-_"
	b := make([]byte, 0, len(text))
	for len(b) < len(text) {
		for range 3 + rng.IntN(14) {
			b = append(b, signs[rng.IntN(len(signs))])
		}
		b = append(b, ' ')
	}
	return string(b)
}

// wordsToWrite draws the length of an answer around a mean: most are near it, a few much longer.
func wordsToWrite(rng *rand.Rand, mean float64) int {
	x := 0.0
	for range 6 {
		x -= math.Log(1 - rng.Float64())
	}
	return max(1, int(math.Round(mean*x/6)))
}
