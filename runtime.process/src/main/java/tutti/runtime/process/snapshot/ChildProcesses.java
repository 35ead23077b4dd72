package tutti.runtime.process.snapshot;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The processes that this JVM has started.
 *
 * @param before those at the snapshot
 */
record ChildProcesses(Set<ProcessHandle> before) implements Examined {
    static ChildProcesses now() {
        return new ChildProcesses(children().collect(Collectors.toSet()));
    }

    private static Stream<ProcessHandle> children() {
        return ProcessHandle.current().children().filter(ProcessHandle::isAlive);
    }

    @Override
    public List<String> differences() {
        return children().filter(child -> !before.contains(child))
            .map(child -> "process runs: pid=" + child.pid() + ", command=" + child.info().command().orElse("?")).toList();
    }

    @Override
    public boolean mayGo() {
        return true;
    }
}
