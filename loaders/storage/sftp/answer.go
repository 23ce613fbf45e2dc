package sftp

import (
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/pkg/sftp"

	"vantage/loaders/fileio"
)

// answer is a packet that answers a request of [wire.ask], without its head. Kind 0 says that the connection ended before.
type answer struct {
	kind byte
	body []byte
}

// maxMessage is how much is kept of what the node says of an error.
const maxMessage = 200

// Which attributes of a file follow.
const (
	hasSize     = 1
	hasOwner    = 2
	hasMode     = 4
	hasTimes    = 8
	hasExtended = 1 << 31
)

var errMalformed = &fileio.Failure{What: "cannot be listed", Do: "its node does not answer as an sftp server does"}

// refusal is an error that the node reports. It is a [sftp.StatusError], whose words no other package can set.
type refusal struct {
	code  uint32
	words string
}

// Error quotes the words of the node, and says what its code means.
func (r *refusal) Error() string {
	return fmt.Sprintf("sftp: %q (%v)", r.words, (&sftp.StatusError{Code: r.code}).FxCode())
}

// Unwrap returns the error of package sftp.
func (r *refusal) Unwrap() error { return &sftp.StatusError{Code: r.code} }

// err returns the error that an answer reports, nil if it is another answer. That there is no more is [io.EOF].
func (a answer) err() error {
	if a.kind == 0 {
		return io.ErrUnexpectedEOF
	}
	if a.kind != kindStatus {
		return nil
	}
	f := fields{rest: a.body}
	code, words := f.number(), f.text()
	switch code {
	case uint32(sftp.ErrSSHFxOk):
		return errMalformed
	case uint32(sftp.ErrSSHFxEOF):
		return io.EOF
	case uint32(sftp.ErrSSHFxNoSuchFile):
		return fs.ErrNotExist
	case uint32(sftp.ErrSSHFxPermissionDenied):
		return fs.ErrPermission
	}
	return &refusal{code, words[:min(len(words), maxMessage)]}
}

// handle returns the name that the node gave to what it opened.
func (a answer) handle() (string, error) {
	f := fields{rest: a.body}
	name := f.text()
	if a.kind != kindHandle || f.short {
		return "", errMalformed
	}
	return name, nil
}

// entries returns the entries of a directory. What is no name of an entry, as ../a, is left out.
func (a answer) entries(dir string) (all []fileio.Object, err error) {
	f := fields{rest: a.body}
	count := f.number()
	for range count {
		name := f.text()
		f.text() // as ls -l shows it
		o := f.attributes()
		if f.short {
			break
		}
		if name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00") {
			o.Path = path.Join(dir, name)
			all = append(all, o)
		}
	}
	if a.kind != kindNames || f.short {
		return nil, errMalformed
	}
	return all, nil
}

// fields are the fields of a packet, of which nothing was read yet.
type fields struct {
	rest  []byte
	short bool // a field was asked for that is not there
}

// take returns the next bytes, nil if there are not so many.
func (f *fields) take(n int64) []byte {
	if f.short = f.short || n > int64(len(f.rest)); f.short {
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) number() uint32 {
	if b := f.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (f *fields) text() string { return string(f.take(int64(f.number()))) }

// attributes reads the description of a file, all but its path.
func (f *fields) attributes() fileio.Object {
	var stat sftp.FileStat
	which := f.number()
	if which&hasSize != 0 {
		high, low := f.number(), f.number()
		stat.Size = uint64(high)<<32 | uint64(low)
	}
	if which&hasOwner != 0 {
		f.take(8)
	}
	if which&hasMode != 0 {
		stat.Mode = f.number()
	}
	if which&hasTimes != 0 {
		f.take(4) // of the last read
		stat.Mtime = f.number()
	}
	if which&hasExtended != 0 {
		for pairs := f.number(); pairs > 0 && !f.short; pairs-- {
			f.text()
			f.text()
		}
	}
	return object("", int64(stat.Size), stat.ModTime(), stat.FileMode())
}
