package decode

import "testing"

// A row decoder never panics, whatever the line holds.
func FuzzRowDecoder(f *testing.F) {
	for _, s := range []string{
		`{"input":"a\nb","output":"\ud83d\ude42","score":1.0,"step":1}`, `{"reward":NaN,"rewards":{"a":-Infinity}}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"reward":[0.5]}`, `{"a"`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, line []byte) {
		_, _ = NewRowDecoder(OnlyNames(Synonyms()), "1.jsonl").Decode(nil, line)
	})
}
