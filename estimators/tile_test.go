package estimators

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vantage/internal/testkit/repotest"
)

func TestMain(m *testing.M) { repotest.Run(m) }

// oddRewards are easily got wrong: zeros of both signs, denormals, infinities, NaN, missing.
var oddRewards = []float64{
	0, math.Copysign(0, -1), 1e-45, -1e-40, 1 << 24, math.MaxFloat32, -math.MaxFloat32,
	math.Inf(1), math.Inf(-1), math.NaN(), MissingReward(),
}

// randomSteps returns batches of groups of one size or of many, of up to 600 samples each, with
// rewards on a grid, of any float32, of any float64, or with odd ones among them.
func randomSteps() (steps []Batch) {
	random := rand.New(rand.NewPCG(11, 12))
	for n := range 601 {
		b := Batch{Offsets: []int{0}}
		for range 1 + random.IntN(12) {
			size := n
			if n%3 == 0 {
				size = random.IntN(n + 1)
			}
			b.Offsets = append(b.Offsets, b.Offsets[len(b.Offsets)-1]+size)
		}
		for i := range b.Offsets[len(b.Offsets)-1] {
			x := float64(random.IntN(11)) / 10
			switch kind := (n / 3) % 5; {
			case kind == 1:
				x = float64(math.Float32frombits(random.Uint32()))
			case kind == 2:
				x = random.NormFloat64()
			case kind == 3 && i%50 == 0:
				x = oddRewards[random.IntN(len(oddRewards))]
			}
			b.Rewards = append(b.Rewards, x)
		}
		steps = append(steps, b)
	}
	return steps
}

// Eight groups at once give the bits of one group after the other, before and after the filter and
// with a recompute, for every estimator that needs rewards only.
func TestEightAtOnceChangesNoBit(t *testing.T) {
	for k, b := range randomSteps() {
		for i, e := range All() {
			if e.Computable() && e.MissingIn(b) == "" && (k+i)%20 < repotest.Times(1, 5) {
				compareWithOneAtOnce(t, e, b, float64(k%11)/10, float64(i%7)/7)
			}
		}
	}
}

// FuzzEightAtOnce reads a batch from bytes: the size of the groups, then rewards of any bits.
func FuzzEightAtOnce(f *testing.F) {
	f.Add([]byte("\x09 groups of nine: the bytes of a text are numbers of any kind"), uint16(1), 0.7, 0.5)
	f.Fuzz(func(t *testing.T, raw []byte, estimator uint16, pos, neg float64) {
		if len(raw) < 5 {
			return
		}
		b := Batch{Rewards: make([]float64, (len(raw)-1)/4)}
		for i := range b.Rewards {
			b.Rewards[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[1+4*i:])))
		}
		for lo := 0; lo < len(b.Rewards); lo += 1 + int(raw[0]) {
			b.Offsets = append(b.Offsets, lo)
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
		all := All()
		if e := all[int(estimator)%len(all)]; e.Computable() && e.MissingIn(b) == "" {
			compareWithOneAtOnce(t, e, b, pos, neg)
		}
	})
}

// compareWithOneAtOnce compares bit for bit, but NaN equals NaN.
func compareWithOneAtOnce(t *testing.T, e *Estimator, b Batch, pos, neg float64) {
	t.Helper()
	if largestInTile == 0 {
		t.Skip("a processor without the registers")
	}
	e.CleanInto(b.Rewards, b.Rewards)
	for _, s := range e.Scales {
		for _, recompute := range []bool{false, true} {
			var got, want Result
			gotErr := process(&got, e, b, s, pos, neg, recompute)
			limit := largestInTile
			largestInTile = 0
			wantErr := process(&want, e, b, s, pos, neg, recompute)
			largestInTile = limit
			if errorText(gotErr) != errorText(wantErr) || !slices.EqualFunc(got.Unfiltered, want.Unfiltered, sameBits) ||
				!slices.EqualFunc(got.Processed, want.Processed, sameBits) || !slices.Equal(got.Kept, want.Kept) {
				t.Errorf("%s %s %s, %d groups of %d, ratios %v and %v, recompute %v: eight groups at once differ",
					e.Framework, e.Name, s, b.Groups(), largestGroup(b.Offsets), pos, neg, recompute)
			}
		}
	}
}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}
