package formats

import "vantage/loaders/decode"

// All returns every format, the more particular ones first.
func All() []Format {
	return []Format{
		verl(),
		easyr1(),
		trl(),
		swift(),
		swiftRay(),
		nemo(),
		roll(),
		skyrl(),
		areal(),
		arealText(),
		prime(),
		primeHosted(),
		verifiers(),
		openInstruct(),
		tinker(),
		rllm(),
		slime(),
		tunix(),
		unstableBaselines(),
		trlTable(),
		trackio(),
		trackioTraces(),
		wandbTable(),
		art(),
		artLines(),
		nemoGym(),
		agileRL(),
		harbor(),
		miles(),
		atropos(),
		groupLines(),
		stepData(),
		jsonl(),
		jsonDocument(),
		csv(),
		arrow(),
		parquetFile(),
		groupTable(),
	}
}

// usualFields returns the fields of a format that anyone writes. Reward functions return a total beside its
// parts, as EasyR1's return overall; score and sum may as well be parts.
func usualFields() *decode.Fields {
	f := decode.UsualNames()
	f.Totals = []string{"overall", "total", "total_reward", "final_reward", "reward"}
	return f
}

// Find returns the format of that name.
func Find(name string) (Format, bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// WithColumns changes formats so that they prefer the columns that a person named, and returns them.
// The formats that anyone writes then also take a log in which such a column is all they know.
func WithColumns(formats []Format, c decode.Columns) []Format {
	if c.IsZero() {
		return formats
	}
	for i := range formats {
		f := &formats[i]
		f.Fields, f.columns = f.Fields.WithColumns(c), c
	}
	return formats
}
