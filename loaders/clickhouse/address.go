package clickhouse

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/fileio"
)

// IsAddress reports whether a path is the address of a table.
func IsAddress(path string) bool { return strings.HasPrefix(path, "clickhouse://") }

// Target is what an address says: where a table is, and what to read of it.
type Target struct {
	Host, Port      string
	User            string
	NamesUser       bool // the address names the user
	Password        string
	Database, Table string
	Run             string            // "" for the only one
	Columns         map[string]string // named by role: step, group, reward, sample, …
	Final           bool              // rows that replace others count alone: ReplacingMergeTree
	First, Last     int64             // the steps to read
	Newest          int               // only so many of them, and those that follow; 0 is all

	Plain    bool   // no TLS
	CAFile   string // of the authority that signed the certificate; "" for those that this machine trusts
	Unproved bool   // the certificate is not checked
}

// ErrUsage says that an address is wrong.
var ErrUsage = errors.New("the address is wrong")

func usage(format string, a ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUsage}, a...)...)
}

// ParseAddress reads an address. Its errors are [ErrUsage], and hold no password.
func ParseAddress(address string) (Target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "clickhouse" || u.Hostname() == "" {
		return Target{}, usage("write clickhouse://user@host:port/database/table?run=NAME")
	}
	t := Target{
		Host: u.Hostname(), Port: u.Port(), User: "default", Columns: map[string]string{}, First: math.MinInt64, Last: math.MaxInt64,
	}
	if u.User != nil {
		t.User, t.NamesUser = u.User.Username(), true
		t.Password, _ = u.User.Password()
	}
	path := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(path) != 2 || path[0] == "" || path[1] == "" {
		return Target{}, usage("after the host it names a database and a table, as in /rl/rollouts; in a password or a name, / is " +
			"written %%2F and @ is written %%40")
	}
	t.Database, t.Table = path[0], path[1]
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Target{}, usage("what follows the ? is not key=value&key=value")
	}
	t.Plain = isLoopback(t.Host) && query.Get("ca") == ""
	for key, values := range query {
		if err := t.set(key, values[len(values)-1]); err != nil {
			return Target{}, err
		}
	}
	if t.CAFile != "" && t.Plain {
		return Target{}, usage("ca= is for TLS, and secure=0 is without: leave out one")
	}
	if t.Port == "" {
		t.Port = "9440"
		if t.Plain {
			t.Port = "9000"
		}
	}
	return t, nil
}

func (t *Target) set(key, value string) (err error) {
	flag := func() bool {
		on, bad := strconv.ParseBool(value)
		if bad != nil {
			err = usage("%s is 1 or 0, not %q", key, value)
		}
		return on
	}
	switch {
	case slices.Contains(roleKeys(), key):
		t.Columns[key] = value
	case key == "run":
		t.Run = value
	case key == "final":
		t.Final = flag()
	case key == "steps":
		return t.setSteps(value)
	case key == "last":
		if t.Newest, err = strconv.Atoi(value); err != nil || t.Newest < 1 {
			return usage("last is how many of the newest steps are read, not %q", value)
		}
	case key == "secure":
		t.Plain = !flag()
	case key == "ca":
		t.CAFile = value
	case key == "skip_verify":
		t.Unproved = flag()
	case key == "password":
		return usage("a password goes before the @, or better into CLICKHOUSE_PASSWORD or --password-file")
	default:
		return usage("there is no option %s: run, steps, last, final, secure, ca, skip_verify, %s", key, strings.Join(roleKeys(), ", "))
	}
	return err
}

// setSteps sets which steps are read: "17", "100-120" or "100-".
func (t *Target) setSteps(value string) error {
	first, last, isRange := strings.Cut(value, "-")
	var firstErr, lastErr error
	t.First, firstErr = strconv.ParseInt(first, 10, 64)
	switch {
	case !isRange:
		t.Last = t.First
	case last != "":
		t.Last, lastErr = strconv.ParseInt(last, 10, 64)
	}
	if firstErr != nil || lastErr != nil || t.Last < t.First {
		return usage("steps is a step or a range, as 17, 100-120 or 100-, not %q", value)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// PlainWarning says that the password and all rows go over a network as they are, and what to do; "" if they do not.
func (t Target) PlainWarning() string {
	if !t.Plain || isLoopback(t.Host) {
		return ""
	}
	return fmt.Sprintf("secure=0 sends the password and all rows to %s unencrypted, to be read and changed by whoever is on the way: "+
		"leave it out if the server has a port with TLS, mostly 9440, or open localhost through a tunnel, ssh -L 9000:localhost:%s %s",
		net.JoinHostPort(t.Host, t.Port), t.Port, t.Host)
}

// WithoutPassword returns an address, of a table or anything else, without the password in it, and whether there was
// one.
func WithoutPassword(address string) (string, bool) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		return address, false
	}
	u, err := url.Parse(address)
	if err != nil {
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			if user, _, has := strings.Cut(rest[:at], ":"); has {
				return scheme + "://" + user + rest[at:], true
			}
		}
		return address, false
	}
	if _, has := u.User.Password(); !has {
		return address, false
	}
	u.User = url.User(u.User.Username())
	return u.String(), true
}

// RecommendedTable is how a table is made that is read fast, and how a trainer's log is loaded into it: statements
// for ClickHouse.
const RecommendedTable = `CREATE TABLE rl.rollouts (
    run             LowCardinality(String),
    step            UInt32,
    prompt_id       String,             -- tells groups apart within a step
    sample_idx      UInt32,             -- the row in the trainer's batch, or the sample in its group
    reward          Nullable(Float64),
    advantage       Nullable(Float64),  -- as the trainer logged it, if it did
    response_length UInt32,             -- in tokens
    prompt          String CODEC(ZSTD),
    response        String CODEC(ZSTD),
    split           LowCardinality(String) DEFAULT 'train', -- evaluations, as 'eval', are told from training
    run_attempt     UInt16 DEFAULT 0    -- one more for each start of the run: rows that it writes again replace the earlier ones
) ENGINE = MergeTree ORDER BY (run, step, prompt_id, sample_idx);

-- over several servers: the samples of a group stay together
CREATE TABLE rl.all AS rl.rollouts
    ENGINE = Distributed('CLUSTER', rl, rollouts, cityHash64(run, step, prompt_id));

-- a step of verl, with clickhouse-client ... < 17.jsonl
INSERT INTO rl.rollouts (run, step, prompt_id, sample_idx, reward, prompt, response)
    SELECT 'grpo-7b', step, hex(cityHash64(input, gts)), rowNumberInAllBlocks(), score, input, output
    FROM input('step UInt32, score Float64, input String, output String, gts String') FORMAT JSONEachRow;

-- who only looks needs no more than this
CREATE USER viewer IDENTIFIED BY '...' SETTINGS readonly = 1;
GRANT SELECT ON rl.* TO viewer;
`

// tls returns how the connection is encrypted, nil if it is not.
func (t Target) tls(disk *fileio.Disk) (*tls.Config, error) {
	if t.Plain {
		return nil, nil
	}
	config := &tls.Config{ServerName: t.Host, InsecureSkipVerify: t.Unproved, MinVersion: tls.VersionTLS12}
	if t.CAFile == "" {
		return config, nil
	}
	pem, err := disk.ReadFile(t.CAFile)
	if err != nil {
		return nil, fmt.Errorf("the certificates of ca= cannot be read: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s of ca= holds no certificates in PEM", t.CAFile)
	}
	return config, nil
}

func (t Target) name() string { return t.Database + "." + t.Table }

func (t Target) address() string { return net.JoinHostPort(t.Host, t.Port) }
