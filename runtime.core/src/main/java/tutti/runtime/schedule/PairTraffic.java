package tutti.runtime.schedule;

import org.jspecify.annotations.Nullable;

/** Checks that the plans of two ranks fit together: the messages between them, and the memory that they share. */
public final class PairTraffic {
    private PairTraffic() {}

    /** Describes the first mismatch between the plans of two ranks; null when there is none. */
    public static @Nullable String mismatch(final PlanBuilder one, final PlanBuilder other) {
        final String there = messageMismatch(one, other);
        return there != null ? there : messageMismatch(other, one);
    }

    private static @Nullable String messageMismatch(final PlanBuilder from, final PlanBuilder to) {
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
            : sharedMemoryMismatch(from, to);
    }

    /** Describes an await or read of one rank that the other rank's plan does not provide for, or null. */
    private static @Nullable String sharedMemoryMismatch(final PlanBuilder reader, final PlanBuilder owner) {
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
