# Sourced by the scripts of this folder: starts and stops daemons, and compiles programs that run on them. The scripts set home, tutti (the command),
# and work (a folder that they delete).

daemons=()
# the command that starts daemons, with their command as arguments; none by default
confined=()

# start_daemon NAME [OPTION]...: starts a daemon, waits until it is ready, and sets $address.
start_daemon() {
  local out=$work/$1.out
  # the old file may be there until the new daemon's shell opens it
  rm -f "$out"
  "${confined[@]}" "$tutti" daemon --name "$1" --dir "$work/$1" "${@:2}" >"$out" 2>"$work/$1.err" &
  daemons+=("$!")
  address=
  until [ -n "$address" ]; do
    if ! kill -0 "${daemons[-1]}" 2>/dev/null; then
      cat "$work/$1.err" >&2
      return 1
    fi
    sleep 0.01
    # shellcheck disable=SC2034
    address=$(sed -n "s/^ready $1 //p" "$out" 2>/dev/null)
  done
}

# stop_daemons: ends all daemons and waits for their end.
stop_daemons() {
  [ ${#daemons[@]} -gt 0 ] || return 0
  kill "${daemons[@]}" 2>/dev/null
  wait "${daemons[@]}" 2>/dev/null
  daemons=()
}

# compile_programs JDK FOLDER SOURCE...: compiles programs that use package mpi.
compile_programs() { "$1/bin/javac" -cp "$home/dist/target/tutti/bundle/*" -implicit:none -proc:none -d "$2" "${@:3}"; }

# print_machine JDK: prints the machine, the JDK and the commit as a list in Markdown.
print_machine() {
  local changed
  changed=$(git -C "$home" status --porcelain 2>/dev/null)
  echo "- machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1), $(getconf _NPROCESSORS_ONLN) cores, $(uname -srm)"
  echo "- JDK: $(sed -n 's/^IMPLEMENTOR_VERSION="\(.*\)"/\1/p;s/^JAVA_RUNTIME_VERSION="\(.*\)"/\1/p' "$1/release" | paste -sd' ' -)"
  echo "- commit: $(git -C "$home" rev-parse --short HEAD 2>/dev/null || echo unknown)${changed:+, with changes}"
  echo "- begin: $(date -u '+%Y-%m-%d %H:%M UTC'), load average $(sed 's/.*load average[s]*: //' <<<"$(uptime)")"
}
