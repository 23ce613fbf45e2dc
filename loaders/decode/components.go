package decode

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/loaders/jsonscan"
)

// Components are the values that single reward functions gave to the sample of the row at hand.
type Components struct {
	Names []string       // in the order in which they were first met
	Index map[string]int // of a name in Names

	fields    *Fields
	values    []float64      // parallel to Names, NaN where there is none
	summand   []bool         // parallel to Names: it counts in the sum of a log without totals
	total     jsonscan.Value // the total that stands among the components of an object
	totalName string
}

// MaxComponents is how many components are kept: nobody weighs more.
const MaxComponents = 64

// reset forgets the values of the row before.
func (c *Components) reset() {
	c.total = jsonscan.Value{}
	for i := range c.values {
		c.values[i] = math.NaN()
	}
}

// pick takes a field that plays no role, if it is a component or an object that holds some.
func (c *Components) pick(key, v jsonscan.Value) {
	switch {
	case v.Kind == jsonscan.Object:
		c.pickObject(key, v)
	case v.Kind == jsonscan.Number || v.Kind == jsonscan.ComputedNumber || v.Kind == jsonscan.Bool:
		switch name := string(key.Text()); {
		case c.fields.IsPlainPart(name):
			c.SetPlain(name, v)
		case c.fields.IsComponent(name):
			c.Set(name, v)
		}
	case v.Kind == jsonscan.String && bytes.HasPrefix(v.Raw, []byte("{")):
		c.pickObject(key, v.Inner("{"))
	case v.Kind == jsonscan.Array && areNamedParts(key, v):
		v.EachElement(func(e jsonscan.Value) {
			name, part := namedPart(e)
			c.Set(string(name.Text()), part)
		})
	case v.Kind == jsonscan.String && c.fields.holdsNames(key.Raw):
		c.Set(string(key.Text()), jsonscan.FromFloat(estimators.NumberOfName(string(v.Text()))))
	case v.Kind == jsonscan.Null || v.Kind == jsonscan.Array && IsComponentName(string(key.Text())):
		c.Set(string(key.Text()), v)
	}
}

// pickObject takes the numbers of an object of components; {"score": s, "weight": w} counts as s·w.
func (c *Components) pickObject(key, object jsonscan.Value) {
	prefix, ok := ComponentPrefix(key.Raw)
	if !ok {
		c.pickPlain(key, object)
	}
	if !ok || isSummary(object) {
		return
	}
	picked := 0
	object.EachField(func(name, v jsonscan.Value) {
		if picked++; picked > MaxFields {
			return
		}
		if v.Kind == jsonscan.Object {
			v = weighted(v)
		}
		switch {
		case v.Kind != jsonscan.Number && v.Kind != jsonscan.ComputedNumber && v.Kind != jsonscan.Bool:
		case prefix == "" && c.isTotal(key.Raw, strings.ToLower(string(name.Raw))):
			c.total, c.totalName = v, string(key.Raw)+"."+string(name.Raw)
		default:
			c.Set(prefix+string(name.Text()), v)
		}
	})
}

// pickPlain takes the parts under plain names of an object that may hold some.
func (c *Components) pickPlain(key, object jsonscan.Value) {
	if !c.fields.MayHoldPlainParts(string(key.Raw)) {
		return
	}
	object.EachField(func(name, v jsonscan.Value) {
		isSingle := v.Kind == jsonscan.Number || v.Kind == jsonscan.Bool
		if text := string(name.Text()); isSingle && (c.fields.IsPlainPart(text) || IsComponentName(text)) {
			c.SetPlain(text, v)
		}
	})
}

// isTotal reports whether a name in an object is that of the total of its parts. In one that is the reward itself so are score and value:
// the reward functions of verl return {"score": …, "acc": …}.
func (c *Components) isTotal(object []byte, name string) bool {
	isOfReward := strings.EqualFold(string(object), "reward") && len(c.fields.Totals) > 0
	return slices.Contains(c.fields.Totals, name) || isOfReward && (name == "score" || name == "value")
}

// areNamedParts reports whether a list holds the parts of a reward, each with its name: [{"name": "format", "score": 1}].
func areNamedParts(key, list jsonscan.Value) (yes bool) {
	if _, ok := ComponentPrefix(key.Raw); !ok || !beginsNested(list) {
		return false
	}
	yes = true
	list.EachElement(func(e jsonscan.Value) {
		name, part := namedPart(e)
		yes = yes && name.Kind == jsonscan.String && part.Kind != jsonscan.Absent
	})
	return yes
}

// namedPart returns the name and the value of a part, absent if an object is none.
func namedPart(object jsonscan.Value) (name, part jsonscan.Value) {
	object.EachField(func(key, v jsonscan.Value) {
		switch string(key.Raw) {
		case "name", "reward_name", "reward_func", "func", "function":
			name = v
		}
	})
	if part = weighted(object); part.Kind == jsonscan.Absent {
		object.EachField(func(key, v jsonscan.Value) {
			isValue := string(key.Raw) == "reward" || string(key.Raw) == "value"
			if isValue && (v.Kind == jsonscan.Number || v.Kind == jsonscan.Bool) {
				part = v
			}
		})
	}
	return name, part
}

// isSummary reports whether an object summarizes many rewards.
func isSummary(object jsonscan.Value) (yes bool) {
	object.EachField(func(name, _ jsonscan.Value) {
		yes = yes || slices.Contains([]string{"mean", "avg", "std", "min", "max"}, string(name.Raw))
	})
	return yes
}

// weighted returns the number that {"score": …, "weight": …} stands for, absent if v is no such object.
func weighted(v jsonscan.Value) jsonscan.Value {
	score, weight := math.NaN(), 1.0
	v.EachField(func(key, v jsonscan.Value) {
		x, ok := v.ToFloat()
		switch {
		case !ok:
		case string(key.Raw) == "score":
			score = x
		case string(key.Raw) == "weight":
			weight = x
		}
	})
	if math.IsNaN(score) {
		return jsonscan.Value{}
	}
	return jsonscan.FromFloat(score * weight)
}

// Set sets the value of a component, NaN if v is no number. A new name is added, unless v is null or
// there are MaxComponents.
func (c *Components) Set(name string, v jsonscan.Value) { c.set(name, v, IsSummand(name)) }

// SetPlain is Set for one that stands next to the reward under a plain name: see [Fields.IsPlainPart].
func (c *Components) SetPlain(name string, v jsonscan.Value) { c.set(name, v, false) }

func (c *Components) set(name string, v jsonscan.Value, isSummand bool) {
	x, ok := v.ToFloat()
	if v.Kind == jsonscan.Null || !ok {
		x = math.NaN()
	}
	at, known := c.Index[name]
	if !known {
		if v.Kind == jsonscan.Null || len(c.Names) >= MaxComponents {
			return
		}
		if c.Index == nil {
			c.Index = map[string]int{}
		}
		at = len(c.Names)
		c.Index[name] = at
		c.Names = append(c.Names, name)
		c.values, c.summand = append(c.values, math.NaN()), append(c.summand, isSummand)
	}
	c.values[at] = x
}

// sum returns the sum of the summands that have a value; ok is false if none has.
func (c *Components) sum() (sum float64, ok bool) {
	for i, x := range c.values {
		if !math.IsNaN(x) && c.summand[i] {
			sum += x
			ok = true
		}
	}
	return sum, ok
}

func (c *Components) summands() []string {
	return slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool { return !c.summand[c.Index[name]] })
}

// clone returns the components with names and values of their own.
func (c *Components) clone() Components {
	return Components{
		fields: c.fields, Names: slices.Clone(c.Names), Index: maps.Clone(c.Index), values: slices.Clone(c.values),
		summand: slices.Clone(c.summand),
	}
}

// forget forgets the names too.
func (c *Components) forget() {
	clear(c.Index)
	*c = Components{fields: c.fields, Index: c.Index, values: c.values[:0], summand: c.summand[:0]}
}
