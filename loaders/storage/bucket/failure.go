package bucket

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"github.com/minio/minio-go/v7"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/overhttp"
)

var (
	errReplaced = errors.New("another object is there now")
	errNoRanges = errors.New("it answers with other bytes than those that were asked for")
)

// brokenError is an answer that ended early.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// isBroken reports whether the rest may be asked for again.
func isBroken(err error) bool {
	var e *brokenError
	return errors.As(err, &e)
}

// noObject is the failure for a path at which there is nothing.
func (b *Bucket) noObject() error {
	return &fileio.Failure{What: "is neither an object nor the prefix of one in the bucket " + b.bucket + " at " + b.settings.address(), Do: "check the path, or start the run first", Err: fs.ErrNotExist}
}

// failure says in a sentence why an object or a prefix cannot be read.
func (b *Bucket) failure(err error) error {
	var f *fileio.Failure
	var no minio.ErrorResponse
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, errReplaced):
		return replaced(err)
	case errors.Is(err, errNoRanges):
		return &fileio.Failure{What: "cannot be read: " + b.settings.host + " ignores ranges of bytes", Do: "check whether a proxy stands before it", Err: err}
	case errors.As(err, &no) && no.StatusCode != 0:
		return b.refusal(no)
	case b.ctx.Err() != nil:
		return overhttp.Failure(context.Canceled, b.settings.host)
	}
	return overhttp.Failure(err, b.settings.host)
}

func replaced(err error) *fileio.Failure {
	return &fileio.Failure{What: "was replaced by another object while it was read", Do: "read it again when it is written", Replaced: true, Err: err}
}

// refusal says why the store does not give what was asked for.
func (b *Bucket) refusal(no minio.ErrorResponse) error {
	f := &fileio.Failure{Err: no}
	switch no.Code {
	case minio.NoSuchBucket:
		f.What, f.Do, f.Err = "names a bucket that does not exist at "+b.settings.address(), "check its name, and the endpoint", fs.ErrNotExist
	case minio.NoSuchKey:
		return b.noObject()
	case "InvalidAccessKeyId":
		f.What, f.Do = "is refused: the access key of "+b.keys.from()+" is unknown at "+b.settings.host, "check which keys belong to this endpoint"
	case "SignatureDoesNotMatch":
		f.What, f.Do = "is refused: the secret key of "+b.keys.from()+" does not belong to its access key", "copy both again"
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired":
		f.What, f.Do = "is refused: the session token of "+b.keys.from()+" has expired", "sign in again (`aws sso login`, or your own tool), and start again"
	case "InvalidToken", "InvalidClientTokenId":
		f.What, f.Do = "is refused: the session token of "+b.keys.from()+" is not valid at "+b.settings.host, "copy AWS_SESSION_TOKEN again, or unset it if the keys have none"
	case "RequestTimeTooSkewed":
		f.What, f.Do = "is refused: the clock of this machine differs from that of "+b.settings.host+" by more than 15 minutes", "set the clock"
	case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "InvalidRegion":
		f.What, f.Do = "lies in another region than "+b.region(), "set AWS_REGION to that of the bucket"
		if no.Region != "" {
			f.What, f.Do = "lies in the region "+no.Region+" and not in "+b.region(), "set AWS_REGION="+no.Region
		}
	case "PreconditionFailed", "InvalidRange":
		return replaced(no)
	case "InvalidObjectState":
		f.What, f.Do = "is in an archive", "restore it first"
	default:
		return b.refusalByStatus(f, no)
	}
	return f
}

// refusalByStatus is refusal for codes that are no more telling than their status.
func (b *Bucket) refusalByStatus(f *fileio.Failure, no minio.ErrorResponse) error {
	switch s := no.StatusCode; {
	case s == http.StatusForbidden || s == http.StatusUnauthorized:
		f.Err = fs.ErrPermission
		if f.What, f.Do = "may not be read with the keys of "+b.keys.from(), "ask for s3:ListBucket on the bucket "+b.bucket+" and s3:GetObject on its objects"; b.keys.from() == "" {
			f.What, f.Do = "may not be read without keys", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
		}
	case s == http.StatusNotFound:
		f.What, f.Do, f.Err = "is not there", "check the path", fs.ErrNotExist
	case s == http.StatusPreconditionFailed || s == http.StatusRequestedRangeNotSatisfiable:
		return replaced(no)
	case s == http.StatusTooManyRequests || s == http.StatusServiceUnavailable:
		f.What, f.Do, f.Lost = "cannot be read now: "+b.settings.host+" asks for fewer requests ("+no.Code+")", "read it again in a minute", true
	case s >= 500:
		f.What, f.Do, f.Lost = "cannot be read now: "+b.settings.host+" reports an error of its own ("+no.Code+")", "read it again in a minute", true
	default:
		f.What, f.Do = "cannot be read from "+b.settings.host, no.Error()+" ("+no.Code+")"
	}
	return f
}

func (b *Bucket) region() string {
	if b.settings.region == "" {
		return "us-east-1"
	}
	return b.settings.region
}
