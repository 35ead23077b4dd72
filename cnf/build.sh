# Sourced by the scripts of a source tree: finds JDK 25 and runs Maven with it.

is_jdk25() { [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && grep -q '^JAVA_VERSION="25[".]' "$1/release" 2>/dev/null; }

# Prints the folder of a JDK 25: TUTTI_JAVA_HOME, JAVA_HOME, or one in the usual folders.
find_jdk25() {
  local d
  for d in "${TUTTI_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* /usr/java/* /opt/*jdk* /opt/java/* "$HOME"/.sdkman/candidates/java/* \
    "$HOME"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if [ -n "$d" ] && is_jdk25 "$d"; then
      printf '%s\n' "$d"
      return 0
    fi
  done
  echo "${0##*/}: no JDK 25 found: install one (Eclipse Temurin 25 for example), or set TUTTI_JAVA_HOME to its folder" >&2
  return 1
}

# quick_maven JDK ARG...: Maven on JDK 25, so that one warm compiler serves all bundles; without the checks that 'mvn verify' makes.
quick_maven() {
  local jdk=$1
  shift
  JAVA_HOME=$jdk MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED ${MAVEN_OPTS:-}" \
    mvn --batch-mode -Dstyle.color=never -Dcheckstyle.skip=true -Dspotless.check.skip=true -Derrorprone.skip=true "$@"
}

# build_tool JDK MODULE: builds a module that is a tool, with what it needs, and prints its class path.
build_tool() {
  local jdk=$1 module=$2 log=$home/$2/target/build.log
  mkdir -p "$home/$module/target"
  if ! quick_maven "$jdk" -DskipTests -P"$module" -f "$home/pom.xml" -pl "$module" -am process-test-classes >"$log" 2>&1; then
    grep '^\[ERROR\]' "$log" >&2
    echo "${0##*/}: the build failed: see above, and $module/target/build.log" >&2
    return 1
  fi
  printf '%s:%s\n' "$home/$module/target/$module/test-classes" "$(cat "$home/$module/target/$module/classpath")"
}
