package tutti.runtime.process;

/** The thread group of one rank. New threads join the group of the thread that creates them. */
final class RankThreadGroup extends ThreadGroup {
    private final RankProcess process;

    RankThreadGroup(final String name, final RankProcess process) {
        super(root(), name);
        this.process = process;
    }

    /** Returns the root of all groups. It is the parent of every rank's group, so that no rank's group is inside that of another rank. */
    static ThreadGroup root() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    RankProcess process() {
        return process;
    }

    @Override
    public void uncaughtException(final Thread thread, final Throwable thrown) {
        process.uncaught(thread, thrown);
    }
}
