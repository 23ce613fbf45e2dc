package bucket_test

import (
	"testing"

	"vantage/loaders/storage/bucket/buckettest"
)

func TestMain(m *testing.M) { buckettest.Main(m) }
