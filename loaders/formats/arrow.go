package formats

import "strings"

// arrow is a table of Apache Arrow, as save_to_disk of Hugging Face's datasets writes it: rows with a reward and whatever else under its
// usual names, which package arrowfile gives as JSON lines.
// huggingface/datasets@5.2.0 src/datasets/arrow_dataset.py:1694, save_to_disk.
func arrow() Format {
	f := jsonl()
	sniff := f.Sniff
	f.Name, f.Doc = "arrow", "A Dataset that datasets saved to disk, or another uncompressed table of Arrow: a reward and other columns under usual names."
	f.TrainerOption, f.File, f.Open = "Dataset.save_to_disk(DIR), of datasets", "DIR/data-{shard}-of-{shards}.arrow", "DIR"
	f.Score = 16
	f.Sniff = func(first *First) bool { return strings.HasSuffix(first.Name, ".arrow") && sniff(first) }
	return f
}
