package tutti.runtime.schedule;

/** The messages between two ranks according to the plans of both. */
public final class Traffic {
    private Traffic() { }

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
        return sent.length == received.length ? null
            : "rank " + from.rank() + " sends " + sent.length + " messages to rank " + to.rank() + ", which receives " + received.length;
    }
}
