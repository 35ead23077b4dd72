# Sourced by scripts: finds JDK 25.

# The release file is read by the shell itself, since each command starts with it.
is_jdk25() {
  local line
  if [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ]; then
    while IFS= read -r line; do
      case $line in JAVA_VERSION=\"25[\".]*) return 0 ;; esac
    done <"$1/release"
  fi
  return 1
}

# Prints the folder of a JDK 25: TUTTI_JAVA_HOME, which must be one when it is set, else JAVA_HOME, or one in the usual folders.
find_jdk25() {
  local d
  if [ -n "${TUTTI_JAVA_HOME:-}" ]; then
    is_jdk25 "$TUTTI_JAVA_HOME" && printf '%s\n' "$TUTTI_JAVA_HOME" && return 0
    echo "${0##*/}: not a JDK 25: TUTTI_JAVA_HOME=$TUTTI_JAVA_HOME; set it to the folder of a JDK 25, or unset it" >&2
    return 1
  fi
  for d in "${JAVA_HOME:-}" /usr/lib/jvm/* /usr/java/* /opt/*jdk* /opt/java/* "$HOME"/.sdkman/candidates/java/* \
    "$HOME"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if [ -n "$d" ] && is_jdk25 "$d"; then
      printf '%s\n' "$d"
      return 0
    fi
  done
  echo "${0##*/}: no JDK 25 found: install one (Eclipse Temurin 25 for example), or set TUTTI_JAVA_HOME to its folder" >&2
  return 1
}
