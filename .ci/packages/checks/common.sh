# What the checks share; each is `checks/NAME FOLDER`, with the folder that .ci/packages/build filled.
# shellcheck shell=bash
set -euo pipefail
dist=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
checkout=$PWD
export GOFLAGS='' LC_ALL=C.UTF-8 PATH=$PATH:/usr/sbin:/sbin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
revision=$(git rev-parse HEAD)
hostarch=$(go env GOHOSTARCH)

skip() {
  echo "$1: skipped"
  [ "${CI:-}" != true ]
  exit
}

needs() {
  local name
  for name in "$@"; do
    command -v "$name" >/dev/null || skip "no $name here"
  done
}

fail() {
  echo "$1" >&2
  exit 1
}

# as_root COMMAND...: package managers and chroot ask for root; a namespace in which one is root is enough
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    unshare --map-root-user "$@"
  fi
}

# inside ROOT ARCH PROGRAM...: runs a program with nothing else in its root, or by qemu if it is another processor's
inside() {
  local root=$1 arch=$2
  shift 2
  if [ "$arch" = "$hostarch" ]; then
    as_root chroot "$root" "$@"
  else
    (cd "$root" && "qemu-$(machine "$arch")-static" ".$1" "${@:2}")
  fi
}

# machine ARCH: the processor as all but Go call it
machine() {
  case $1 in
    amd64) echo x86_64 ;;
    arm64) echo aarch64 ;;
  esac
}

# licences PROGRAM FOLDER [NAME]: there stand the program's licence (as NAME) and, in LIBRARIES, that of Go and of every library in it
licences() {
  local missing
  grep -q 'Apache License' "$2/${3:-LICENSE}" || fail "$2 has no licence of the program"
  missing=$({ echo "Go $(go env GOVERSION)"; go version -m "$1" | awk '$1 == "dep" { print $2, $3 }'; } | sed 's/^/==== /' | grep -vxFf "$2/LIBRARIES") || return 0
  fail "LIBRARIES names no licence of: $missing"
}

# works ROOT ARCH PROGRAM: the program is this commit's, and reports on a log, whose last line says that the report is whole
works() {
  local said
  if [ "$2" != "$hostarch" ] && ! command -v "qemu-$(machine "$2")-static" >/dev/null; then
    echo "no qemu-user-static here: the program for $2 is not run"
    [ "${CI:-}" != true ] || exit 1
    return
  fi
  said=$(inside "$1" "$2" "$3" version)
  grep -qx "revision  $revision" <<<"$said" && grep -qx "platform  linux/$2" <<<"$said" || fail "vantage version says: $said"
  cp -r "$checkout/loaders/formats/testdata/verl" "$1/log"
  said=$(inside "$1" "$2" "$3" report log | tail -1)
  rm -r "$1/log"
  [ "$said" = 'complete: 1 row, one per step' ] || fail "the report on a log of one row ends in: $said"
  echo "runs on linux/$2"
}
