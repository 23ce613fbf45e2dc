// Package hub reads files of datasets and buckets on the Hugging Face Hub, or a server that speaks its protocol. It never writes.
//
// In: hf://datasets/USER/NAME[@REVISION]/path or hf://buckets/USER/NAME/path, with HF_TOKEN and HF_ENDPOINT of the environment.
// Out: a [vantage/loaders/fileio.Storage]. Package storage calls it. The addresses are those of huggingface_hub 2.4.0,
// hf_api.py: /api/datasets/ID/revision/REV says which commit a revision is, /api/datasets/ID/tree/COMMIT lists it, and
// /datasets/ID/resolve/COMMIT/PATH are the bytes, so that a dataset is read as of one commit.
package hub
