package tutti.runtime.schedule;

/** The messages between two ranks, and the memory that they share, according to the plans of both. */
public final class PairTraffic {
    private PairTraffic() { }

    /** What does not fit between the plans of two ranks, in words; null when everything does. */
    public static String flaw(final PlanBuilder one, final PlanBuilder other) {
        final String there = oneWay(one, other);
        return there != null ? there : oneWay(other, one);
    }

    private static String oneWay(final PlanBuilder from, final PlanBuilder to) {
        final long[] sent = from.messages(Schedule.SEND, to.rank());
        final long[] received = to.messages(Schedule.RECV, from.rank());
        for (int i = 0; i < Math.min(sent.length, received.length); i++) {
            if (sent[i] != received[i]) {
                return "message " + i + " from rank " + from.rank() + " to rank " + to.rank() + " is sent with " + sent[i]
                    + " bytes and received with " + received[i];
            }
        }
        return sent.length != received.length
            ? "rank " + from.rank() + " sends " + sent.length + " messages to rank " + to.rank() + ", which receives " + received.length
            : unshared(from, to);
    }

    /** What a rank awaits or reads of another that is not there. */
    private static String unshared(final PlanBuilder reader, final PlanBuilder owner) {
        final TaskList tasks = reader.tasks;
        for (int t = 0; t < tasks.count; t++) {
            if (tasks.channel[t] != 0 || tasks.kind[t] <= Schedule.POST || tasks.peer[t] != owner.rank()) {
                continue;
            }
            if (tasks.kind[t] == Schedule.AWAIT) {
                if (tasks.ordinal[t] >= owner.posts()) {
                    return "rank " + reader.rank() + " awaits post " + tasks.ordinal[t] + " of rank " + owner.rank() + ", which makes "
                        + owner.posts();
                }
            } else if (tasks.bytes[t] > 0 && tasks.fromOffset[t] + tasks.bytes[t] > owner.limit(tasks.from[t])) {
                return "rank " + reader.rank() + " reads " + tasks.from[t].at(tasks.fromOffset[t], tasks.bytes[t]) + " of rank " + owner.rank()
                    + ", which has " + owner.limit(tasks.from[t]) + " bytes";
            }
        }
        return null;
    }
}
