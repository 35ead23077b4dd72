package tutti.runtime.process.stop;

/** Finds thread groups. */
public final class ThreadGroups {
    private ThreadGroups() {}

    /** Returns the root of all groups. It is the parent of every rank's group, so that no rank's group is inside that of another rank. */
    public static ThreadGroup root() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }
}
