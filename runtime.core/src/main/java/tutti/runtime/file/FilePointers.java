package tutti.runtime.file;

import java.util.function.LongSupplier;
import tutti.runtime.exchange.CallExchange;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The pointers of a file: that of this rank, and that of all ranks. Both count elements of the view.
 *
 * <p><b>Threads.</b> Safe for any thread; the shared pointer is set by one rank at a time.
 */
final class FilePointers {
    private final DiskFile file;
    private final SharedPointer shared;
    /** The rank's pointer; guarded by this object. */
    private long own;

    FilePointers(final DiskFile file, final SharedPointer shared) {
        this.file = file;
        this.shared = shared;
    }

    /** Returns the pointer of all ranks. */
    SharedPointer shared() {
        return shared;
    }

    /** Returns the rank's pointer. */
    synchronized long own() {
        return own;
    }

    /** Sets the rank's pointer. */
    synchronized void setOwn(final long to) {
        own = to;
    }

    /** Adds to the rank's pointer, and returns what it was before. */
    synchronized long getAndAdd(final long elements) {
        final long before = own;
        if (before > Long.MAX_VALUE - elements) {
            throw new MpiFailure(ErrorClass.ARG, "pointer out of range: offset=" + elements + ", from=" + before);
        }
        own = before + elements;
        return before;
    }

    /** Sets the pointer of all ranks to a number of the first one, together with all. */
    void setShared(final CallExchange exchange, final long to) {
        if (exchange.comm().rank() == 0) {
            shared.set(to);
        }
        exchange.gather(0);
    }

    /**
     * Returns where a pointer moves.
     *
     * @param offset  elements from the place on
     * @param pointer returns where it is
     */
    long moved(final FileView view, final long offset, final SharedFile.Whence whence, final LongSupplier pointer) {
        final long from = switch (whence) {
            case BEGIN -> 0;
            case POINTER -> pointer.getAsLong();
            case END -> end(view);
        };
        final long to;
        try {
            to = Math.addExact(from, offset);
        } catch (final ArithmeticException e) {
            throw new MpiFailure(ErrorClass.ARG, "pointer out of range: offset=" + offset + ", from=" + from, e);
        }
        if (to < 0) {
            // Cause: a pointer is in the view. Remedy: an offset that does not lead before its begin.
            throw new MpiFailure(ErrorClass.ARG, "pointer before the begin of the view: offset=" + offset + ", from=" + from);
        }
        return to;
    }

    /** Returns the number of elements of a view before the end of the file. */
    private long end(final FileView view) {
        return view.map().isAscending() ? Math.ceilDiv(view.map().positionAt(file.size()), view.etype().size()) : 0;
    }
}
