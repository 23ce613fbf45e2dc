package bucket_test

import (
	"testing"

	"vantage/internal/testkit/buckettest"
)

func TestMain(m *testing.M) { buckettest.Main(m) }
