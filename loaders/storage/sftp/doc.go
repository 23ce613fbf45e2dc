// Package sftp reads the files of another node through the user's own ssh.
//
// In: a path such as node7:runs/a or ssh://me@node7:2222/data/runs. Out: a [Storage], a [fileio.Storage] that lists and
// reads through `ssh -s node7 sftp`, a program that nearly every sshd starts. How the node is reached and who one is
// there, is ssh's own business: jump hosts, agents, certificates, Kerberos and shared connections are as configured.
// Nothing is written on the node. package storage calls it.
package sftp
