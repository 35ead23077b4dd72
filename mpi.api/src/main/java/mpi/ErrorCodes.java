package mpi;

import java.util.ArrayList;
import java.util.List;

/** The error codes of a rank: the classes that MPI has, and what its program added. Safe for any thread. */
final class ErrorCodes {
    private final List<Added> added = new ArrayList<>();

    /** A class or a code, numbered on from MPI's last. */
    private static final class Added {
        private final int errorClass;
        private String text = "";

        Added(final int errorClass) {
            this.errorClass = errorClass;
        }
    }

    /** A new class. */
    synchronized int addClass() {
        final int code = next();
        added.add(new Added(code));
        return code;
    }

    /** A new code of a class. */
    synchronized int addCode(final int errorClass) {
        added.add(new Added(errorClass));
        return next() - 1;
    }

    private int next() {
        return Constants.ERR_LASTCODE + 1 + added.size();
    }

    /** The highest code in use; what the attribute {@code MPI.LASTUSEDCODE} says. */
    synchronized int lastUsed() {
        return next() - 1;
    }

    /** Whether there is such a code. */
    synchronized boolean isKnown(final int code) {
        return ErrorNames.of(code) != null || find(code) != null;
    }

    /** Whether there is such a class. */
    synchronized boolean isClass(final int code) {
        return isKnown(code) && classOf(code) == code;
    }

    /** Whether the program added it. */
    synchronized boolean isAdded(final int code) {
        return find(code) != null;
    }

    /** The class of a code; of those that MPI has, and of unknown ones, the code itself. */
    synchronized int classOf(final int code) {
        final Added a = find(code);
        return a == null ? code : a.errorClass;
    }

    /** What a code means; empty for one of the program's that has no text. */
    synchronized String text(final int code) {
        final Added a = find(code);
        return a == null ? ErrorNames.text(code) : a.text;
    }

    /** Gives a code of the program's a text. */
    synchronized void setText(final int code, final String text) {
        find(code).text = text;
    }

    private Added find(final int code) {
        final int i = code - Constants.ERR_LASTCODE - 1;
        return i < 0 || i >= added.size() ? null : added.get(i);
    }
}
