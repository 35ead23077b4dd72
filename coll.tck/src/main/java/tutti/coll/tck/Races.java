package tutti.coll.tck;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import tutti.coll.Buffer;

/** Finds tasks of one plan that use the same memory without an order between them, and tasks that write read-only memory. */
final class Races {
    private Races() { }

    static Optional<Flaw> find(final Tape plan) {
        final List<Task> tasks = plan.tasks();
        final BitSet[] before = new BitSet[tasks.size()];
        for (final Task t : tasks) {
            if (t.into() != null && t.into().buffer() == Buffer.SEND) {
                return Optional.of(Flaw.of(plan.place(), t, "writes the send buffer"));
            }
            before[t.id()] = new BitSet();
            for (final int a : t.after()) {
                before[t.id()].or(before[a]);
                before[t.id()].set(a);
            }
            for (int i = before[t.id()].nextClearBit(0); i < t.id(); i = before[t.id()].nextClearBit(i + 1)) {
                if (t.conflictsWith(tasks.get(i))) {
                    return Optional.of(Flaw.of(plan.place(), t, "race with task " + i + " (" + tasks.get(i) + ")"));
                }
            }
        }
        return Optional.empty();
    }
}
