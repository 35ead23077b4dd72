package tutti.runtime.file;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** How data is represented in a file. */
enum DataRepresentation {
    /** As in memory. */
    NATIVE("native"),
    /** As in memory: all nodes have the same representation, or agree on none of their modules. */
    INTERNAL("internal"),
    /** As the standard defines it: big-endian, IEEE, with the sizes that Java has too. */
    EXTERNAL32("external32");

    private final String text;

    DataRepresentation(final String text) {
        this.text = text;
    }

    /** Returns the representation with a name. */
    static DataRepresentation of(final @Nullable String name) {
        for (final DataRepresentation r : values()) {
            if (r.text.equals(name)) {
                return r;
            }
        }
        // Cause: the standard has three representations. Remedy: one of these.
        throw new MpiFailure(ErrorClass.UNSUPPORTED_DATAREP, "no such data representation: datarep=" + name + ", use native, internal or external32");
    }

    /** Returns whether data is in the file as it is in memory. */
    boolean isAsInMemory() {
        return this != EXTERNAL32 || ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    }

    /** Converts packed elements from memory's representation to this one, or back. */
    void convert(final MemorySegment packed, final Datatype type, final long count) {
        if (!isAsInMemory()) {
            type.reverseBytes(packed, count);
        }
    }
}
