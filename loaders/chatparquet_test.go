package loaders

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/formatstest"
	"vantage/model"
)

// chatTurn is a turn of a conversation, with the fields that some turn of the log has.
type chatTurn struct {
	Content   *string    `parquet:"content,optional"`
	Name      *string    `parquet:"name,optional"`
	Role      string     `parquet:"role"`
	ToolCalls []toolCall `parquet:"tool_calls,list"`
}

type toolCall struct {
	Function struct {
		Arguments map[string]int64 `parquet:"arguments"`
		Name      string           `parquet:"name"`
	} `parquet:"function"`
	Kind string `parquet:"type"`
}

// chatRow is a row of TRL's completions of conversations.
type chatRow struct {
	Step       int64      `parquet:"step"`
	Prompt     []chatTurn `parquet:"prompt,list"`
	Completion []chatTurn `parquet:"completion,list"`
	Accuracy   float64    `parquet:"accuracy_reward"`
	Advantage  float64    `parquet:"advantage"`
}

func turn(role, content string) chatTurn { return chatTurn{Role: role, Content: &content} }

// chatRows are two rows of each of n prompts; in the second the model calls a tool.
func chatRows(n int) []chatRow {
	call := chatTurn{Role: "assistant", ToolCalls: []toolCall{{Kind: "function"}}}
	call.ToolCalls[0].Function.Name = "add"
	call.ToolCalls[0].Function.Arguments = map[string]int64{"a": 2}
	result, name := turn("tool", "4"), "add"
	result.Name = &name
	var rows []chatRow
	for i := range n {
		prompt := []chatTurn{turn("system", "Be \"brief\".\n"), turn("user", "käse "+string(rune('a'+i%26))+` \n?`)}
		rows = append(rows,
			chatRow{7, prompt, []chatTurn{turn("assistant", "ça")}, 1, 0.5},
			chatRow{7, prompt, []chatTurn{call, result, turn("assistant", "four")}, 0.25, -0.5})
	}
	return rows
}

func chatTable(t *testing.T, rows []chatRow, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Conversations in lists of structs are prompts and responses, also where a row spans pages.
func TestChatParquet(t *testing.T) {
	for name, options := range map[string][]parquet.WriterOption{
		"plain":     {parquet.Compression(&parquet.Snappy)},
		"pages":     {parquet.PageBufferSize(40), parquet.DataPageVersion(1), parquet.MaxRowsPerRowGroup(17)},
		"V2 pages":  {parquet.PageBufferSize(40), parquet.DataPageVersion(2), parquet.Compression(&parquet.Zstd)},
		"many rows": {parquet.MaxRowsPerRowGroup(1500)},
	} {
		t.Run(name, func(t *testing.T) {
			n := 20
			if name == "many rows" {
				n = 1300
			}
			w := trainer{t, t.TempDir()}
			w.add("completions_00007.parquet", chatTable(t, chatRows(n), options...))
			s, got := openAndRead(t, w.path("completions_00007.parquet"))
			if len(got) != 2*n {
				t.Fatalf("%d samples, want %d", len(got), 2*n)
			}
			want := []model.Record{
				{Step: 7, Preview: `käse a \n?`, Reward: 1, Advantage: 0.5, Length: 2, Components: []float64{1}},
				{Step: 7, Preview: `käse a \n?`, Reward: 0.25, Advantage: -0.5, Length: 5, Components: []float64{0.25}},
			}
			if diff := formatstest.Diff(want, formatstest.Samples(got[:2])); diff != "" {
				t.Error("-want +got\n" + diff)
			}
			for i := range got {
				if (got[i].Prompt == got[i^1].Prompt) != true || i > 1 && i < 52 && got[i].Prompt == got[i-2].Prompt {
					t.Errorf("the prompt of row %d has hash %x", i, got[i].Prompt)
				}
			}
			last := got[len(got)-1]
			text, err := s.Text(context.Background(), model.Place{File: last.File, Offset: last.Offset})
			if err != nil {
				t.Fatal(err)
			}
			wantPrompt := "system: Be \"brief\".\n\n\nuser: käse " + string(rune('a'+(n-1)%26)) + ` \n?`
			if diff := cmp.Diff(wantPrompt, text.Prompt); diff != "" {
				t.Error("-want +got\n" + diff)
			}
			if diff := cmp.Diff("assistant: add({\"a\":2})\n\ntool add: 4\n\nassistant: four", text.Response); diff != "" {
				t.Error("-want +got\n" + diff)
			}
		})
	}
}
