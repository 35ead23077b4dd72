package tutti.runtime.process;

import tutti.runtime.process.jdk.ThreadGroups;

/** The thread group of one rank. New threads join the group of the thread that creates them. */
final class RankThreadGroup extends ThreadGroup {
    private final RankProcess process;

    RankThreadGroup(final String name, final RankProcess process) {
        super(ThreadGroups.root(), name);
        this.process = process;
    }

    RankProcess process() {
        return process;
    }

    @Override
    public void uncaughtException(final Thread thread, final Throwable thrown) {
        process.uncaught(thread, thrown);
    }
}
