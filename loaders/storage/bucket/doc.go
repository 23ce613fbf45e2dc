// Package bucket reads the objects of a bucket of S3, or of what speaks its protocol: MinIO, SeaweedFS, Ceph, R2, and
// Google's interoperable API. It never writes.
//
// In: bucket and key, endpoint, and the usual AWS_* environment and files. Out: a [vantage/loaders/fileio.Storage].
// Package storage calls it. What it asks a bucket for are listings of at most 1000 keys, descriptions of objects, and ranges
// of their bytes on the condition that they are still those that were listed.
package bucket
