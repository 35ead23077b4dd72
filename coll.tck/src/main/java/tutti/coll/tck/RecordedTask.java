package tutti.coll.tck;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.plan.Assignment;
import tutti.coll.plan.TaskKind;

/**
 * A task of a recorded plan.
 *
 * @param id        number of the task in its plan, from 0
 * @param kind      what the task does
 * @param from      the range that it reads; of a get or a reduce from a peer, a range of the peer's buffers as the peer's plan names them; of a
 *                  reduce, the operand of the lower ranks; null if it reads nothing, and for an opaque task
 * @param into      the range that it writes; null if it writes nothing, and for an opaque task
 * @param peer      the rank that it sends to, receives from, reads from, or awaits a post of; -1 for none
 * @param post      of a post or an await, the index of the post among those of the posting rank in its plan or nested part, from 0; otherwise -1
 * @param reduction of a reduce task; otherwise null
 * @param assignment of an opaque task or an offloaded collective, what a module carries out; otherwise null: who carries out a copy or a reduction
 *                  does not change what it does
 * @param after     the tasks that must be complete before it starts
 */
public record RecordedTask(int id, TaskKind kind, @Nullable BufferRange from, @Nullable BufferRange into, int peer, int post,
    @Nullable Reduction reduction, @Nullable Assignment assignment, int[] after) {

    /** Returns a task that orders others and does nothing. */
    static RecordedTask fence(final int id, final int... after) {
        return signal(id, TaskKind.FENCE, -1, -1, after);
    }

    /** Returns a task that uses no memory. */
    static RecordedTask signal(final int id, final TaskKind kind, final int peer, final int post, final int... after) {
        return new RecordedTask(id, kind, null, null, peer, post, null, null, after);
    }

    RecordedTask withOrder(final int newId, final int... newAfter) {
        return new RecordedTask(newId, kind, from, into, peer, post, reduction, assignment, newAfter);
    }

    RecordedTask withRanges(final @Nullable BufferRange newFrom, final @Nullable BufferRange newInto) {
        return new RecordedTask(id, kind, newFrom, newInto, peer, post, reduction, assignment, after);
    }

    RecordedTask withPeer(final int newPeer) {
        return new RecordedTask(id, kind, from, into, newPeer, post, reduction, assignment, after);
    }

    RecordedTask withAssignment(final Assignment newAssignment) {
        return new RecordedTask(id, kind, from, into, peer, post, reduction, newAssignment, after);
    }

    /** Returns what an offloaded collective is. Fails for another task. */
    Assignment.Offloaded offloaded() {
        return (Assignment.Offloaded) Objects.requireNonNull(assignment, "task is not offloaded");
    }

    /** Returns the ranges that the task writes. */
    List<BufferRange> writes() {
        return assignment instanceof final Assignment.Opaque opaque ? opaque.writes() : into == null ? List.of() : List.of(into);
    }

    /** Returns whether the task writes a part of a range. */
    boolean writes(final @Nullable BufferRange range) {
        return assignment instanceof final Assignment.Opaque opaque ? opaque.writes().stream().anyMatch(w -> overlap(w, range))
            : overlap(into, range);
    }

    /** Returns whether the task reads a peer's memory. */
    public boolean readsPeer() {
        return kind == TaskKind.GET || kind == TaskKind.PEER_REDUCE;
    }

    /** Returns the range that the task reads. Fails if it reads nothing. */
    BufferRange source() {
        return Objects.requireNonNull(from, "task reads nothing");
    }

    /** Returns the range that the task writes. Fails if it writes nothing. */
    BufferRange target() {
        return Objects.requireNonNull(into, "task writes nothing");
    }

    /** Returns the range that the task reads of its own rank's memory; null if it reads none. */
    @Nullable
    BufferRange localSource() {
        return readsPeer() ? null : from;
    }

    static boolean overlap(final @Nullable BufferRange a, final @Nullable BufferRange b) {
        return a != null && b != null && a.buffer() == b.buffer() && a.bytes() > 0 && b.bytes() > 0
            && a.offset() < b.end() && b.offset() < a.end();
    }

    @Override
    public String toString() {
        return kind + (assignment == null ? "" : " " + assignment.description()) + (post < 0 ? "" : " " + post) + (from == null ? "" : " " + from)
            + (readsPeer() ? " of the peer" : "")
            + (into == null ? "" : " into " + into) + " after " + Arrays.toString(after);
    }
}
