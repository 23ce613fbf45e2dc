package trainer

import (
	"slices"
	"strings"
)

// The bounds of interpolation: a configuration needs a few steps, one that refers to
// itself, or doubles itself, any number.
const (
	maxSteps = 32
	maxValue = 4 << 10
)

// missing is how OmegaConf spells a value that must be given elsewhere.
const missing = "???"

// resolve replaces references to plain values as OmegaConf does: ${a.b} from the root,
// ${.x} beside the value, ${..x} beside what holds it, and so on outwards; in the midst of text too,
// and within one another. What a resolver would compute, ${oc.env:X,default}, stays as
// it is, and so does what refers to nothing, or to itself.
func resolve(options []Option) []Option {
	values := map[string]string{}
	for _, o := range options {
		values[o.Key] = o.Value
	}
	out := slices.Clone(options)
	for i, o := range out {
		out[i].Value = interpolate(o, values)
	}
	return out
}

// interpolate follows the references of one value, the innermost first. One that cannot
// be followed leaves the value as it was written.
func interpolate(o Option, values map[string]string) string {
	text := o.Value
	for range maxSteps {
		before, path, after, found := reference(text)
		if !found {
			return text
		}
		value, known := values[absolute(o.Key, path)]
		if !known || len(before)+len(value)+len(after) > maxValue {
			return o.Value
		}
		text = before + value + after
	}
	return o.Value
}

// reference finds ${path} with no other within it.
func reference(text string) (before, path, after string, found bool) {
	end := strings.Index(text, "}")
	for end >= 0 {
		if start := strings.LastIndex(text[:end], "${"); start >= 0 {
			return text[:start], text[start+2 : end], text[end+1:], true
		}
		next := strings.Index(text[end+1:], "}")
		if next < 0 {
			break
		}
		end += 1 + next
	}
	return "", "", "", false
}

// absolute is a path from the root: each dot in front goes one level out from the value
// whose key is given. Brackets, a[b], are another way to write dots.
func absolute(key, path string) string {
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	rest := strings.TrimLeft(path, ".")
	up := len(path) - len(rest)
	if up == 0 {
		return rest
	}
	levels := strings.Split(key, ".")
	if up >= len(levels) {
		levels = nil
	} else {
		levels = levels[:len(levels)-up]
	}
	return strings.Join(append(slices.Clone(levels), rest), ".")
}
