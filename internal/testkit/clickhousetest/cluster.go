package clickhousetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/clickhouse/wire"
)

// Launcher is the environment variable that names the program of .ci/clickhouse, which is a server. Where it is
// not set, tests that need one are skipped.
const Launcher = "VANTAGE_CLICKHOUSE"

// Users of the servers, and the password of all.
const (
	Writer   = "writer"
	Viewer   = "viewer"   // may set nothing: readonly=1
	Reader   = "reader"   // may set what does not write: readonly=2
	Limited  = "limited"  // has 60 MB for a query
	Stranger = "stranger" // has no rights
	Partial  = "partial"  // has a profile with which servers leave rows out, and may set another
	Fixed    = "fixed"    // has that profile, and may set nothing
	Cut      = "cut"      // has a profile that limits answers to 2 rows, and may set nothing
	Roomy    = "roomy"    // has one that limits them to more than there are
	Tight    = "tight"    // has one that limits them to 40 rows
	Chatty   = "chatty"   // has one that sends the log of the server along
	Skipping = "skipping" // has one that leaves out the first row of each answer
	Password = "pa:ss w@rd"
)

// Cluster is some servers, which know each other as the cluster "shards".
type Cluster struct {
	Ports   []string
	servers []*server

	launcher string
	folders  []string
}

type server struct {
	command *exec.Cmd
	input   io.Closer
}

// Start starts servers that end with the test.
func Start(tb testing.TB, n int) *Cluster {
	tb.Helper()
	launcher := os.Getenv(Launcher)
	if launcher == "" {
		tb.Skip(Launcher + " names no server: .ci/clickhouse/run does")
	}
	c := &Cluster{Ports: freePorts(tb, n), launcher: launcher}
	for i := range n {
		c.folders = append(c.folders, tb.TempDir())
		c.servers = append(c.servers, c.start(tb, i))
	}
	tb.Cleanup(func() {
		for i := range c.servers {
			c.Kill(i)
		}
	})
	for i := range n {
		c.await(tb, i)
	}
	return c
}

// Address is the address of a table on a server, with more of the query.
func (c *Cluster) Address(i int, user, table, query string) string {
	return fmt.Sprintf("clickhouse://%s@127.0.0.1:%s/%s?%s", user, c.Ports[i], table, query)
}

// Kill ends a server as a power cut does.
func (c *Cluster) Kill(i int) {
	s := c.servers[i]
	_ = s.command.Process.Kill()
	_ = s.input.Close()
	_ = s.command.Wait()
}

// Restart starts a server again that was killed, on its port and with its data.
func (c *Cluster) Restart(tb testing.TB, i int) {
	tb.Helper()
	c.servers[i] = c.start(tb, i)
	c.await(tb, i)
}

// Exec runs a statement on a server.
func (c *Cluster) Exec(tb testing.TB, i int, format string, a ...any) {
	tb.Helper()
	if err := c.exec(i, fmt.Sprintf(format, a...)); err != nil {
		tb.Fatalf("server %d: %v", i, err)
	}
}

func (c *Cluster) exec(i int, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn, err := wire.Dial(ctx, wire.Options{Address: "127.0.0.1:" + c.Ports[i], User: Writer, Password: Password, Timeout: time.Minute})
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Do(ctx, wire.Query{SQL: sql, OnBlock: func(int) error { return nil }})
}

// start starts a server.
func (c *Cluster) start(tb testing.TB, i int) *server {
	tb.Helper()
	dir := c.folders[i]
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		filetest.Write(tb, path, text)
		return path
	}
	var shards strings.Builder
	for _, port := range c.Ports {
		fmt.Fprintf(&shards, "<shard><replica><host>127.0.0.1</host><port>%s</port><user>%s</user><password>%s</password></replica></shard>",
			port, Writer, Password)
	}
	users := write("users.xml", usersXML)
	config := write("config.xml", fmt.Sprintf(configXML, dir, c.Ports[i], users, dir, shards.String()))
	command := exec.Command(c.launcher, config)
	command.Dir = dir
	errors := &bytes.Buffer{}
	command.Stderr = errors
	input, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		tb.Fatalf("%s: %v %s", c.launcher, err, errors)
	}
	return &server{command, input}
}

// await waits until a server answers.
func (c *Cluster) await(tb testing.TB, i int) {
	tb.Helper()
	var err error
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
		if err = c.exec(i, "SELECT 1 FORMAT Null"); err == nil {
			return
		}
	}
	tb.Fatalf("server %d does not answer: %v", i, err)
}

// freePorts returns ports on which nobody listens.
func freePorts(tb testing.TB, n int) []string {
	tb.Helper()
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

const configXML = `<clickhouse>
  <path>%s/data/</path>
  <listen_host>127.0.0.1</listen_host>
  <tcp_port>%s</tcp_port>
  <logger><level>none</level></logger>
  <users_config>%s</users_config>
  <user_files_path>%s/</user_files_path>
  <remote_servers><shards>%s</shards></remote_servers>
</clickhouse>
`

const usersXML = `<clickhouse>
  <profiles>
    <default><distributed_foreground_insert>1</distributed_foreground_insert></default>
    <viewer><readonly>1</readonly></viewer>
    <reader><readonly>2</readonly></reader>
    <partial><readonly>2</readonly><skip_unavailable_shards>1</skip_unavailable_shards><limit>2</limit></partial>
    <fixed><readonly>1</readonly><skip_unavailable_shards>1</skip_unavailable_shards></fixed>
    <cut><readonly>1</readonly><limit>2</limit></cut>
    <roomy><readonly>1</readonly><limit>1000000</limit></roomy>
    <tight><readonly>1</readonly><limit>40</limit></tight>
    <chatty><readonly>1</readonly><send_logs_level>trace</send_logs_level></chatty>
    <skipping><readonly>1</readonly><offset>1</offset></skipping>
    <limited><readonly>1</readonly><max_memory_usage>60000000</max_memory_usage></limited>
  </profiles>
  <quotas><default></default></quotas>
  <users>
    <default><password></password><profile>default</profile><quota>default</quota><networks><ip>127.0.0.1</ip></networks></default>
    <writer><password>pa:ss w@rd</password><profile>default</profile><quota>default</quota></writer>
    <viewer><password>pa:ss w@rd</password><profile>viewer</profile><quota>default</quota></viewer>
    <reader><password>pa:ss w@rd</password><profile>reader</profile><quota>default</quota></reader>
    <limited><password>pa:ss w@rd</password><profile>limited</profile><quota>default</quota></limited>
    <partial><password>pa:ss w@rd</password><profile>partial</profile><quota>default</quota></partial>
    <fixed><password>pa:ss w@rd</password><profile>fixed</profile><quota>default</quota></fixed>
    <cut><password>pa:ss w@rd</password><profile>cut</profile><quota>default</quota></cut>
    <roomy><password>pa:ss w@rd</password><profile>roomy</profile><quota>default</quota></roomy>
    <tight><password>pa:ss w@rd</password><profile>tight</profile><quota>default</quota></tight>
    <chatty><password>pa:ss w@rd</password><profile>chatty</profile><quota>default</quota></chatty>
    <skipping><password>pa:ss w@rd</password><profile>skipping</profile><quota>default</quota></skipping>
    <stranger><password>pa:ss w@rd</password><profile>viewer</profile><quota>default</quota><grants><query>GRANT SELECT ON system.one</query></grants></stranger>
  </users>
</clickhouse>
`
