package tutti.runtime.process.snapshot;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tutti.runtime.process.RankProcess;
import tutti.runtime.process.jdk.ThreadGroups;
import tutti.runtime.process.jdk.VirtualThreads;

/**
 * The live threads, virtual ones included. Threads of the JDK and of bundles come and go, so that only new threads of a program are differences.
 *
 * @param before the ids of the threads at the snapshot
 */
record LiveThreads(Set<Long> before) implements Examined {
    static LiveThreads now() {
        Origin.FIELDS.forEach(JdkField::open);
        return new LiveThreads(all().map(Thread::threadId).collect(Collectors.toSet()));
    }

    @Override
    public List<String> differences() {
        return left().map(thread -> (thread.isVirtual() ? "virtual thread" : "thread") + " is alive: name=" + thread.getName() + ", class="
            + thread.getClass().getName() + ", state=" + thread.getState())
            .toList();
    }

    @Override
    public boolean mayGo() {
        return left().noneMatch(RankProcess::isBlockedForEver);
    }

    private Stream<Thread> left() {
        return all().filter(thread -> !before.contains(thread.threadId()) && Origin.isProgram(thread));
    }

    private static Stream<Thread> all() {
        return Stream.concat(ThreadGroups.threads(ThreadGroups.root()).stream(), VirtualThreads.all());
    }
}
