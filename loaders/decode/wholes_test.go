package decode

import (
	"slices"
	"testing"

	"vantage/model"
)

// rewardsOf reads rows that are picked of their groups, and returns the rewards that no row has.
func rewardsOf(t *testing.T, rows ...string) (unlogged []float64) {
	t.Helper()
	r := NewRowDecoder(UsualNames(), "")
	r.Layout = PickedRows
	var all []model.Record
	for _, row := range rows {
		var err error
		if all, err = r.Decode(all, []byte(row)); err != nil {
			t.Fatal(err)
		}
	}
	for _, rec := range append(all, r.End()...) {
		if rec.Status == model.StatusUnlogged {
			unlogged = append(unlogged, rec.Reward)
		}
	}
	slices.Sort(unlogged)
	return unlogged
}

// What is not in the log follows from a list of rewards, and of right and wrong from the number and the mean; from nothing else.
func TestSamplesWithoutARow(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want []float64
	}{
		"a list":                         {[]string{`{"step":1,"prompt":"a","reward":1,"group_rewards":[1,0.5,0,0]}`, `{"step":1,"prompt":"a","reward":0,"group_rewards":[1,0.5,0,0]}`}, []float64{0, 0.5}},
		"the whole group is there":       {[]string{`{"step":1,"prompt":"a","reward":1,"group_rewards":[1,0]}`, `{"step":1,"prompt":"a","reward":0,"group_rewards":[1,0]}`}, nil},
		"a reward that the list has not": {[]string{`{"step":1,"prompt":"a","reward":1,"group_rewards":[1,0,0]}`, `{"step":1,"prompt":"a","reward":0.7,"group_rewards":[1,0,0]}`}, nil},
		"other prompts between": {[]string{
			`{"step":1,"prompt":"a","reward":1,"group_rewards":[1,0,0]}`, `{"step":1,"prompt":"b","reward":1,"group_rewards":[1,1]}`,
			`{"step":1,"prompt":"a","reward":0,"group_rewards":[1,0,0]}`, `{"step":2,"prompt":"a","reward":0,"group_rewards":[0,0]}`,
		}, []float64{0, 0, 1}},
		// 8 · 0.25 = 2 of 8 are right, of which rows have one right and one wrong
		"right and wrong by number and mean": {[]string{
			`{"step":1,"prompt":"a","reward":1,"n":8,"group_mean":0.25}`, `{"step":1,"prompt":"a","reward":0,"n":8,"group_mean":0.25}`,
			`{"step":1,"prompt":"b","reward":1,"n":2,"group_mean":0.5}`, `{"step":1,"prompt":"b","reward":0,"n":2,"group_mean":0.5}`,
		}, []float64{0, 0, 0, 0, 0, 1}},
		"8 · 0.3 is no whole number": {[]string{
			`{"step":1,"prompt":"a","reward":1,"n":8,"group_mean":0.3}`, `{"step":1,"prompt":"a","reward":0,"n":8,"group_mean":0.3}`,
			`{"step":1,"prompt":"b","reward":1,"n":2,"group_mean":0.5}`, `{"step":1,"prompt":"b","reward":0,"n":2,"group_mean":0.5}`,
		}, nil},
		"rewards between right and wrong": {[]string{
			`{"step":1,"prompt":"a","reward":1,"n":8,"group_mean":0.25}`, `{"step":1,"prompt":"a","reward":0,"n":8,"group_mean":0.25}`,
			`{"step":1,"prompt":"b","reward":0.5,"n":2,"group_mean":0.5}`, `{"step":1,"prompt":"b","reward":0.5,"n":2,"group_mean":0.5}`,
		}, nil},
	} {
		if got := rewardsOf(t, c.rows...); !slices.Equal(got, c.want) {
			t.Errorf("%s: the samples without a row have %v, want %v", name, got, c.want)
		}
	}
}

// A row tells of its whole group by a list that has its reward, and not by the parts of that.
func TestTellsWhole(t *testing.T) {
	for row, want := range map[string]bool{
		`{"step":1,"prompt":"a","reward":1,"group_rewards":[1,0]}`:      true,
		`{"step":1,"prompt":"a","score":1,"all_scores":[1,0]}`:          true,
		`{"step":1,"prompt":"a","reward":1,"n":4,"group_mean":0.5}`:     true,
		`{"step":1,"prompt":"a","reward":1,"group_rewards":[0,0.5]}`:    false,
		`{"step":1,"prompt":"a","reward":1,"rewards":[1,0]}`:            false,
		`{"step":1,"prompt":"a","reward":1,"n":4}`:                      false,
		`{"step":1,"prompt":"a","rewards":[1,0],"group_rewards":[1,0]}`: false,
	} {
		if got := TellsWhole(UsualNames(), []byte(row)); got != want {
			t.Errorf("%s: %t, want %t", row, got, want)
		}
	}
}
