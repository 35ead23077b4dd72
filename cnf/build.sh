# Sourced by the scripts of a source tree, which set home: finds JDK 25 and runs Maven with it.

# shellcheck source=../dist/bin/jdk25.sh
. "$home/dist/bin/jdk25.sh"

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
