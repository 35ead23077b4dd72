package tutti.runtime.process;

/** The threads of one rank: new threads join the group of the thread that makes them. */
final class RankGroup extends ThreadGroup {
    private final RankProcess process;

    RankGroup(final String name, final RankProcess process) {
        super(root(), name);
        this.process = process;
    }

    /** The top of all groups, so that a rank's group never lies within another rank's. */
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
