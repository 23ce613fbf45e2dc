package fast

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/model"
)

// A CSVReader that has learned from a row reads others as the decoder does, or not at all.
func FuzzCSVReader(f *testing.F) {
	header := "step,group_id,prompt,response,answer,reward,score,format_reward,judge_reward,advantage,tokens,metrics2"
	rows := []string{
		`1,g1,question,an answer,gold,0.5,1,0.25,,1.5,12,x`,
		`1,g1,"question ""1""","two\nlines",gold,-0.5,,0.25,,,12,"a, b"`,
		`2,g2,"C:\\path","[{""role"": ""user"", ""content"": ""x""}]",gold,True,,nan,0.5,-1e-3,0,`,
		`2.0,"",,é–,,"1",2,,1,+1,3.0,1`,
		`1e2,,,,,,0.75,False,,nan,,`,
		`-0,0,0,0,0,-0.0,0,0,0,0,1,0`,
		`9007199254740993,1,a,b,c,0.12345678901234567,1e999,1,.5,5.,7,"x"y`,
	}
	for _, first := range rows {
		for _, second := range rows {
			f.Add([]byte(header), []byte(first), []byte(second))
		}
	}
	f.Add([]byte("prompt,reward,messages,epoch"), []byte(`q,1,"[{",3`), []byte(`q,1,x,`))
	f.Add([]byte("prompt,reward,traj_id"), []byte(`q,1,"t""1"`), []byte(`q,1,t2`))
	f.Add([]byte("prompt,reward,split,is_eval"), []byte("q,1,train,False"), []byte("q,1,val,False"))
	f.Add([]byte("prompt,correct,reward,format,completion_tokens"), []byte("q,True,1,0,7"), []byte("q,False,0,1,9"))
	f.Add([]byte("prompt,correct,reward,format,completion_tokens"), []byte("q,1,1,0,7"), []byte("q,0,,,"))
	f.Add([]byte("prompt;reward;length\r"), []byte("q;1;3\r"), []byte("q,1;2;\r"))
	f.Add([]byte(header), []byte("-0-0.0,0,0,0,0,-0.0,0,0,0,0,1,0"), []byte(rows[0])) // a step after a row that has none
	f.Fuzz(func(t *testing.T, header, first, second []byte) {
		for _, record := range [][]byte{header, first, second} {
			if len(record) == 0 || framing.QuotedEnd(append(record[:len(record):len(record)], '\n'), false) != len(record) || bytes.IndexByte(record, 0) >= 0 {
				return // the caller cuts records and has checked for these
			}
		}
		for _, fields := range []*decode.Fields{markingEvaluations(), decode.NamesWithoutTotal()} {
			d := decode.NewCSVDecoder(decode.NewRowDecoder(fields, "12.csv"), nil)
			d.Wants = isTraining
			if _, err := d.Decode(nil, header); err != nil {
				return
			}
			if learned, err := d.Decode(nil, first); err != nil || len(learned) != 1 {
				return
			}
			r := NewCSV(d)
			r.Learn(first)
			before := d.Note()
			for _, record := range [][]byte{first, second, second} {
				compareCSV(t, r, record)
			}
			if diff := learnedBetween(before, d.Note()); diff != "" {
				t.Fatalf("the decoder learned from rows that were read fast: %s", diff)
			}
		}
	})
}

// learnedBetween returns what a decoder has learned of rows that were read fast. Only that rows have a step is for them to tell: rows without one
// are refused after them.
func learnedBetween(before, after decode.Note) string {
	before.SawStep = before.SawStep || after.SawStep
	return cmp.Diff(before, after)
}

// compareCSV reads a record fast and, if that succeeds, also with the decoder.
func compareCSV(t *testing.T, r *CSVReader, record []byte) {
	t.Helper()
	text := append(record[:len(record):len(record)], '\n')
	r.BeginBlock(model.Block{})
	switch end, lines := r.ReadRows(text, 0, len(text), 5); {
	case end == 0:
		return
	case end != len(text) || lines != bytes.Count(text, []byte{'\n'}):
		t.Fatalf("%q is read up to byte %d, as %d lines", text, end, lines)
	}
	long, err := r.decoder.Clone().Decode(nil, record)
	if err != nil || len(long) != 1 {
		t.Fatalf("%q is read fast, but: %v", record, err)
	}
	long[0].Offset = 5
	block := r.EndBlock()
	if diff := cmp.Diff(withoutEmptyComponents(long[0]), withoutEmptyComponents(block.Records()[0]), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")); diff != "" {
		t.Fatalf("%q: -decoder +fast\n%s", record, diff)
	}
}

// Rows with what tables mostly hold are read fast.
func TestCSVReaderReadsUsualRows(t *testing.T) {
	t.Parallel()
	d := decode.NewCSVDecoder(decode.NewRowDecoder(decode.UsualNames(), "12.csv"), nil)
	first := `1,q,"an ""answer""",0.5,True,`
	for _, record := range []string{"step,prompt,response,reward,format_reward,advantage", first} {
		if _, err := d.Decode(nil, []byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	r := NewCSV(d)
	r.Learn([]byte(first))
	r.BeginBlock(model.Block{})
	rows := []byte(first + "\n1,q,\"two\nlines\",0.123456789012345678,,1.5\r\n" + `2,"q, 2",é,"1e-3",False,-0.25` + "\n")
	if end, lines := r.ReadRows(rows, 0, len(rows), 0); end != len(rows) || lines != 4 {
		t.Errorf("%d of %d bytes and %d of 4 lines were read", end, len(rows), lines)
	}
}
