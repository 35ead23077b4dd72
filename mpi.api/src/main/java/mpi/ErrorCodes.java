package mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The error codes of a rank: MPI's predefined classes, and the classes and codes that the program added. Safe for use by any thread. */
final class ErrorCodes {
    private final List<Added> added = new ArrayList<>();

    /** An error class or code that the program added. Numbers follow MPI's last code. */
    private static final class Added {
        private final int errorClass;
        private String text = "";

        Added(final int errorClass) {
            this.errorClass = errorClass;
        }
    }

    /** Adds a class. */
    synchronized int addClass() {
        final int code = next();
        added.add(new Added(code));
        return code;
    }

    /** Adds a code to a class. */
    synchronized int addCode(final int errorClass) {
        added.add(new Added(errorClass));
        return next() - 1;
    }

    private int next() {
        return MPI.ERR_LASTCODE + 1 + added.size();
    }

    /** Returns the highest code in use, the value of the attribute {@code MPI.LASTUSEDCODE}. */
    synchronized int lastUsed() {
        return next() - 1;
    }

    /** Returns whether the code exists. */
    synchronized boolean isKnown(final int code) {
        return ErrorNames.of(code) != null || find(code) != null;
    }

    /** Returns whether the code is an error class. */
    synchronized boolean isClass(final int code) {
        return isKnown(code) && classOf(code) == code;
    }

    /** Returns whether the program added the code. */
    synchronized boolean isAdded(final int code) {
        return find(code) != null;
    }

    /** Returns the class of a code: for a predefined class the code itself, for a code that does not exist {@code ERR_UNKNOWN}. */
    synchronized int classOf(final int code) {
        final Added a = find(code);
        return a == null ? predefinedClassOf(code) : a.errorClass;
    }

    /** Returns the class of a code where no codes were added. */
    static int predefinedClassOf(final int code) {
        return ErrorNames.of(code) == null ? MPI.ERR_UNKNOWN : code;
    }

    /** Returns the text of a code; empty for an added code without a text. */
    synchronized String text(final int code) {
        final Added a = find(code);
        return a == null ? ErrorNames.text(code) : a.text;
    }

    /** Sets the text of an added code. */
    synchronized void setText(final int code, final String text) {
        Objects.requireNonNull(find(code), "the program did not add the code").text = text;
    }

    private @Nullable Added find(final int code) {
        final int i = code - MPI.ERR_LASTCODE - 1;
        return i < 0 || i >= added.size() ? null : added.get(i);
    }
}
