package wire

import (
	"strings"
)

// ServerError is what a server says that it cannot do.
type ServerError struct {
	Code    int
	Message string // its first line, without the names of classes around it
}

// The codes that a person can do something about.
const (
	UnknownColumn     = 47
	UnknownTable      = 60
	UnknownDatabase   = 81
	TooManyRows       = 158
	Timeout           = 159
	UnknownUser       = 192
	WrongPassword     = 193
	SocketTimeout     = 209
	NetworkError      = 210
	NotEnoughMemory   = 241
	AllShardsFailed   = 279
	TooManyBytes      = 307
	TooManyResultRows = 396
	NoGrant           = 497
	LoginFailed       = 516
)

func (e *ServerError) Error() string { return e.Message }

// exception reads an error.
func (c *Conn) exception() error {
	code, err := c.reader.Int32()
	if err != nil {
		return cut(err)
	}
	var name, message, stack string
	if err := words(c.reader, &name, &message, &stack); err != nil {
		return cut(err)
	}
	if _, err := c.reader.Bool(); err != nil { // whether another is within, which none is any more
		return cut(err)
	}
	return &ServerError{Code: int(code), Message: firstSentence(message, name)}
}

// maxMessage is how much of a message is kept, in bytes: some repeat the query.
const maxMessage = 300

// firstSentence returns what a message says: "Table rl.rollout does not exist".
func firstSentence(message, name string) string {
	message = strings.TrimPrefix(strings.TrimSpace(message), name+": ")
	message = strings.TrimPrefix(message, "DB::Exception: ")
	message, _, _ = strings.Cut(message, "\n")
	if i := strings.LastIndex(message, ". ("); i > 0 && strings.HasSuffix(message, ")") {
		message = message[:i] // the name of the code
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return strings.TrimSuffix(strings.TrimSpace(message), ".")
}
