package tutti.runtime.file;

import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** An access of a rank whose arguments were checked: its data, and where it is in the view that the rank has when it makes the call. */
final class PreparedAccess {
    private final FileAccess access;
    private final RankViews views;
    private final FileData data;
    private final long elements;
    /** Bytes of data before it in the view. */
    private long position;

    PreparedAccess(final FileAccess access, final RankViews views, final FileData data, final long elements) {
        this.access = access;
        this.views = views;
        this.data = data;
        this.elements = elements;
    }

    /**
     * Checks an access to elements of a view.
     *
     * @param offset where it begins, if it has an offset
     */
    static PreparedAccess of(final FileAccess access, final RankViews views, final long offset, final MessageBuffer user, final FileData data) {
        final FileView view = views.own();
        final long each = view.etype().size();
        if (user.bytes() % each != 0) {
            // Cause: a view shows whole elements. Remedy: a number of bytes that is a multiple of the etype's.
            throw new MpiFailure(ErrorClass.TYPE, "data is not made of etypes: bytes=" + user.bytes() + ", etype bytes=" + each);
        }
        if (user.bytes() > 0 && !view.map().hasData()) {
            // Cause: the filetype has no data. Remedy: a count of 0, or another view.
            throw new MpiFailure(ErrorClass.ARG, "view shows no data: bytes=" + user.bytes());
        }
        final PreparedAccess made = new PreparedAccess(access, views, data, user.bytes() / each);
        made.begin(access.place() == FileAccess.Place.OFFSET ? offset : 0);
        return made;
    }

    FileAccess access() {
        return access;
    }

    RankViews views() {
        return views;
    }

    FileData data() {
        return data;
    }

    /** Returns the number of elements. */
    long elements() {
        return elements;
    }

    /** Returns the bytes of data before it in the view. */
    long position() {
        return position;
    }

    /** Sets the element at which it begins. */
    void begin(final long element) {
        position = views.own().bytesBefore(element);
        views.own().bytesBefore(element + elements);
    }

    /**
     * Makes the access, of this rank alone; returns the bytes.
     *
     * @param locks the locks of the atomic mode; null without
     */
    long run(final DiskFile file, final @Nullable RangeLocks locks, final boolean sieves) {
        if (data.bytes() == 0) {
            return 0;
        }
        final ViewMap map = views.own().map();
        return locks == null ? move(file, sieves)
            : locks.locked(access.isWrite(), map.offset(position), map.offset(position + data.bytes() - 1) + 1, () -> move(file, sieves));
    }

    private long move(final DiskFile file, final boolean sieves) {
        final IndependentAccess independent = new IndependentAccess(file, views.own().map(), sieves);
        if (access.isWrite()) {
            independent.write(position, data);
            return data.bytes();
        }
        return independent.read(position, data);
    }
}
