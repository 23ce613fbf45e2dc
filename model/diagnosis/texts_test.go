package diagnosis

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A control token within an answer is seen, and not the one that it ends on, nor a tag that a model is taught.
func TestControls(t *testing.T) {
	for _, c := range []struct {
		text   string
		within bool
		end    string
	}{
		{"The answer is 7.", false, ""},
		{"The answer is 7.<|im_end|>", false, "<|im_end|>"},
		{"The answer is 7.<|im_end|>\n<|endoftext|><|endoftext|>", false, "<|endoftext|>"},
		{"The answer is 7.<|im_end|>\n<|im_start|>user\nAnd now", true, ""},
		{"The answer </s> is 7.", true, ""},
		{"[INST] What is 3 + 4? [/INST] 7", true, ""},
		{"<|begin_of_thought|>3 + 4<|end_of_thought|> 7", false, ""},
		{"if a < b and c > d: x[0] = <b>7</b>", false, ""},
		{"7\x00\x01\x02", true, ""},
	} {
		if within, end := controls(c.text); within != c.within || end != c.end {
			t.Errorf("%q: %v, ends on %q", c.text, within, end)
		}
	}
}

// An answer is foreign in a script that nobody asked in, and not in one of the prompt beside its template, nor for its formulas.
func TestForeign(t *testing.T) {
	chinese := "小明把130个苹果分成12组，还剩下多少个椅子？"
	template := "system\nYou are a helpful assistant.\nuser\n" + chinese + "\nassistant\n"
	for _, c := range []struct {
		asks, says string
		want       bool
	}{
		{chinese, "这说明小明还剩下370个车票。因此最终答案是 $\\boxed{548}$。", false},
		{template, "因此最终答案是 $\\boxed{548}$。", false},
		{template, "The answer is 548, since nothing is left over.", false}, // the template is English, too
		{chinese, "The answer is 548, since nothing is left over.", true},
		{"What is left of 130 apples?", "这说明小明还剩下370个车票。", true},
		{"What is left of 130 apples?", "There are ten left, 因此最终答案 is ten, 这说明小明 of course.", true},
		{"What is σ of α and β?", "With σ² = α + β the σ is √(α + β), where α is the first.", false},
		{"", "здесь ничего والمست 않는다 ไม่ได้ kwargs", true},
		{"", "Nobody knows what was asked.", false},
	} {
		if got := foreign(c.asks, c.says); got != c.want {
			t.Errorf("%q to %q: %v", c.says, c.asks, got)
		}
	}
}

// A sentence that was not seen is no surprise where its letters follow each other as usual, and random letters are one, in Latin letters
// and in Chinese.
func TestSurprise(t *testing.T) {
	for _, c := range []struct{ seen, fresh, random string }{
		{
			"The sum of the numbers is what we need to find here. Then we divide it by the number of the parts, and the rest is the answer to it. " +
				"We see that there are more of them than before, so that one has to be left over in the end. Let us check this with another number.",
			"There is no other number that is more than the sum, so the answer has to be this one in the end.",
			"xq zjvkw pbqf hzgyx wqkj vxzpl mqgh yjxw kzvbq fpxj wgqz hkvy jqxb zpwm vfgk xjyq bzhw qpkv",
		},
		{
			"首先设苹果的数量为一个数。题目告诉我们有很多苹果和卡片。等一下我需要再检查一遍。所以总数变成了一百个。这说明小明还剩下很多铅笔。换一种方法一行一行地数。由此可知鸡蛋不会超过十个。因此最终答案是这个数。",
			"题目告诉我们有一百个鸡蛋和很多铅笔。首先设铅笔的数量为一个数。这说明总数不会超过十个苹果。所以我需要再检查一遍这个方法。由此可知小明的答案是一百个卡片。",
			"鬱齾龘靐齉爩麤灪籱龖虋讟纞钃鸝驫鱻麷厵灩癵爨戇籲饢鑿龗鼺鼸黷黲黰鼷鼴齺齹龥龤龢鑾鑼鑽鑷鑹讞讝讜豔躥躪釁釂鑊靨顳顴驪髖鬣鱸鱷鸞鸛鹼麝黌鼇",
		},
	} {
		usual := newLetters()
		usual.learn(c.seen)
		own, fresh, random := usual.surprise(c.seen), usual.surprise(c.fresh), usual.surprise(c.random)
		if !(fresh < own+moreSurprise) || !(random > own+moreSurprise) {
			t.Errorf("%.20s…: %.2f bits, %.2f of what is new, %.2f of what is random", c.seen, own, fresh, random)
		}
	}
}

// A text that is cut within a character, or holds bytes that are none, is divided into words all the same. Code and Chinese that a new
// source brings have an order of their own, the Chinese that of its prompts: they are words. Random signs are not.
func TestNewFormsAreWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	drawn := func(from []string, n int) (text string) {
		for range n {
			text += from[random.IntN(len(from))]
		}
		return text
	}
	prose := strings.SplitAfter("The train leaves at noon and needs two hours. Each box holds twelve eggs of the farm. We add both sides and divide by three. So the answer must be even. First we count the children who walk to school. ", ". ")
	code := strings.SplitAfter("for k, row := range rows {\n\tif row.id > last { continue }\n\ttotal[k] += row.size*2\n}\nx = np.zeros((4, 8))\nreturn fmt.Sprintf(\"%d: %v\", k, err)\n", "\n")
	chinese := strings.SplitAfter("小明买了三个苹果。根据题意列出方程。长方形的周长等于两倍。两边同时除以四。剩下的学生占一半。", "。")
	signs := strings.Split("qzxjkvwpbmrtsdlhgnfaeiouyQZXKV0123456789#@%&*~|/<>=+-_", "")
	for name, c := range map[string]struct {
		asks, begin func() string
		garbled     bool
	}{
		"code":    {func() string { return drawn(prose, 2) }, func() string { return drawn(code, 9) }, false},
		"Chinese": {func() string { return drawn(chinese, 9) }, func() string { return drawn(chinese, 9) }, false},
		"signs":   {func() string { return drawn(prose, 2) }, func() string { return drawn(signs, 200) }, true},
	} {
		var all []answer
		for step := range 60 {
			for prompt := range uint32(4) {
				a := answer{step: step, prompt: 4*uint32(step) + prompt, asks: drawn(prose, 2), begin: drawn(prose, 5)}
				if step >= 30 && prompt < 2 {
					a.asks, a.begin = c.asks(), c.begin()
				}
				all = append(all, a)
			}
		}
		if found := len(noWords(all, 10)); found > 0 != c.garbled || c.garbled && found != 60 {
			t.Errorf("%s: %d of 60 answers are no words", name, found)
		}
	}
}

func TestWordsOfBrokenText(t *testing.T) {
	for text, want := range map[string]int{"我们先计算\xe6": 6, "答案\xff就是42": 6, "two words\xff": 2, "\xff\xfe": 1} {
		if got := wordsOf(text); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
