#!/bin/sh
# Installs what tools/packages.txt lists for the stages named, if it is missing:
#   tools/install-packages.sh build [test] [check]
# Root is needed only if something is missing. Safe to run twice.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
list=$here/packages.txt

missing=
for stage in "$@"; do
  for package in $(awk -v stage="$stage" '$1 == stage { print $2 }' "$list"); do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "$0: these packages are missing:$missing" >&2
  echo "$0: run this script once as root, or: apt-get install$missing" >&2
  exit 1
fi

has_candidate() {
  apt-cache policy "$1" | grep -q 'Candidate: [^(]'
}

# LLVM 22 stands in the security suite, which a bare debootstrap does not name.
# Its mirror is the archive's own with "-security" appended.
add_security_suite() {
  . /etc/os-release
  mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' |
    awk -v suite="$VERSION_CODENAME" '$2 == suite { print $1; exit }')
  [ -n "$mirror" ] || return 1
  echo "$0: adding the suite $VERSION_CODENAME-security to apt's sources" >&2
  echo "deb ${mirror%/}-security $VERSION_CODENAME-security main" \
    > /etc/apt/sources.list.d/titan-security.list
  apt-get update -q
}

export DEBIAN_FRONTEND=noninteractive
apt-get update -q
has_candidate libmlir-22-dev || add_security_suite || true
for package in $missing; do
  if ! has_candidate "$package"; then
    echo "$0: apt knows no package '$package'; Titan is built on Debian 12" \
      "with its security suite" >&2
    exit 1
  fi
done
apt-get install -q -y --no-install-recommends $missing
