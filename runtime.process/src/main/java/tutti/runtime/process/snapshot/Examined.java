package tutti.runtime.process.snapshot;

import java.util.List;

/**
 * A part of the JVM's state as it was when the snapshot was taken, which can be compared with the present state.
 *
 * <p>Calls no method of objects of a program's classes, except that the JDK clones a default time zone: of others only the class is named. Safe for
 * any thread.
 */
interface Examined {
    /** A part that this JDK does not have. */
    Examined NOTHING = List::of;

    /** Returns what is more or other than at the snapshot, one element each. */
    List<String> differences();

    /** Returns whether differences may go: threads end by themselves, and a garbage collection closes files. */
    default boolean mayGo() {
        return false;
    }
}
