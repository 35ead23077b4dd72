package tutti.runtime.file;

/** The ways to access a file: whether it is read or written, where an access begins, and whether all ranks take part. */
public enum FileAccess {
    /** Reads at an offset. */
    READ_AT("readAt", false, Place.OFFSET, false),
    /** Reads at an offset, together with all ranks. */
    READ_AT_ALL("readAtAll", false, Place.OFFSET, true),
    /** Writes at an offset. */
    WRITE_AT("writeAt", true, Place.OFFSET, false),
    /** Writes at an offset, together with all ranks. */
    WRITE_AT_ALL("writeAtAll", true, Place.OFFSET, true),
    /** Reads at the rank's pointer. */
    READ("read", false, Place.POINTER, false),
    /** Reads at the rank's pointer, together with all ranks. */
    READ_ALL("readAll", false, Place.POINTER, true),
    /** Writes at the rank's pointer. */
    WRITE("write", true, Place.POINTER, false),
    /** Writes at the rank's pointer, together with all ranks. */
    WRITE_ALL("writeAll", true, Place.POINTER, true),
    /** Reads at the shared pointer. */
    READ_SHARED("readShared", false, Place.SHARED, false),
    /** Writes at the shared pointer. */
    WRITE_SHARED("writeShared", true, Place.SHARED, false),
    /** Reads at the shared pointer, together with all ranks, in the order of the ranks. */
    READ_ORDERED("readOrdered", false, Place.SHARED, true),
    /** Writes at the shared pointer, together with all ranks, in the order of the ranks. */
    WRITE_ORDERED("writeOrdered", true, Place.SHARED, true);

    /** Where an access begins. */
    enum Place {
        /** At an offset that the call has. */
        OFFSET,
        /** At the pointer of the rank. */
        POINTER,
        /** At the pointer of all ranks. */
        SHARED
    }

    private final String text;
    private final boolean isWrite;
    private final Place place;
    private final boolean isCollective;

    FileAccess(final String text, final boolean isWrite, final Place place, final boolean isCollective) {
        this.text = text;
        this.isWrite = isWrite;
        this.place = place;
        this.isCollective = isCollective;
    }

    boolean isWrite() {
        return isWrite;
    }

    Place place() {
        return place;
    }

    boolean isCollective() {
        return isCollective;
    }

    /** Returns the name of the call that does not block. */
    String nonblocking() {
        return "i" + Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /** Returns the name of the call. */
    @Override
    public String toString() {
        return text;
    }
}
