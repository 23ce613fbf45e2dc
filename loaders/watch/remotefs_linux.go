package watch

import "syscall"

// reportsRemoteChanges reports whether the kernel sees all changes on the filesystem of path. On
// network filesystems it does not see those of other machines. The numbers are those of statfs(2)
// for NFS, SMB, CIFS, SMB2, FUSE, Lustre, Ceph, GPFS, 9P, AFS and BeeGFS.
func reportsRemoteChanges(path string) bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return false
	}
	switch uint32(fs.Type) {
	case 0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x0bd00bd0, 0x00c36400, 0x47504653, 0x01021997, 0x5346414f, 0x19830326:
		return false
	}
	return true
}
