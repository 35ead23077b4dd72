package tutti.runtime.process.rewrite;

import java.io.ByteArrayOutputStream;
import java.lang.classfile.constantpool.PoolEntry;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The constant pool of a class file: locates constants and appends new ones. Works on the given array. For one thread. */
final class ConstantPool {
    private static final int FIRST = 10;
    private static final int MAX_COUNT = 0xffff;
    /** The length of a constant in bytes without its tag, by tag. For a Utf8 constant, the length of the text is added. */
    private static final int[] SIZES = {0, 2, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    private final byte[] file;
    private final int[] offsets;
    private final int end;
    private final ByteArrayOutputStream added = new ByteArrayOutputStream();
    private int count;

    ConstantPool(final byte[] file) {
        this.file = file;
        this.count = u2(file, FIRST - 2);
        this.offsets = new int[count];
        int at = FIRST;
        for (int i = 1; i < count; i++) {
            offsets[i] = at;
            final int tag = file[at];
            if (tag <= 0 || tag >= SIZES.length || SIZES[tag] == 0) {
                throw new IllegalArgumentException("unknown constant: tag=" + tag + ", index=" + i);
            }
            at += 1 + SIZES[tag] + (tag == PoolEntry.TAG_UTF8 ? u2(file, at + 1) : 0);
            i += tag == PoolEntry.TAG_LONG || tag == PoolEntry.TAG_DOUBLE ? 1 : 0;
        }
        this.end = at;
    }

    static int u2(final byte[] bytes, final int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    static int u4(final byte[] bytes, final int at) {
        return u2(bytes, at) << 16 | u2(bytes, at + 2);
    }

    static void putU2(final byte[] bytes, final int at, final int value) {
        bytes[at] = (byte) (value >> 8);
        bytes[at + 1] = (byte) value;
    }

    /** Returns the offset in the file where its constants end. */
    int end() {
        return end;
    }

    /** Returns a copy of the file with the added constants. */
    byte[] extended() {
        final byte[] inserted = added.toByteArray();
        final byte[] result = Arrays.copyOf(file, file.length + inserted.length);
        System.arraycopy(inserted, 0, result, end, inserted.length);
        System.arraycopy(file, end, result, end + inserted.length, file.length - end);
        putU2(result, FIRST - 2, count);
        return result;
    }

    /** Returns the highest index of the constants of the file itself plus one. */
    int original() {
        return offsets.length;
    }

    /** Returns the tag of a constant; 0 for the unused index after a long or double. */
    int tag(final int index) {
        return offsets[index] == 0 ? 0 : file[offsets[index]];
    }

    /** Returns the offset of a constant, which is that of its tag. */
    int offset(final int index) {
        return offsets[index];
    }

    /** Returns the index that is stored {@code at} bytes after the tag of a constant. */
    int index(final int constant, final int at) {
        return u2(file, offsets[constant] + 1 + at);
    }

    /** Returns the text of a Utf8 constant. Names that are not ASCII are decoded wrongly, and match no name that is searched for. */
    String text(final int utf8) {
        return new String(file, offsets[utf8] + 3, u2(file, offsets[utf8] + 1), StandardCharsets.ISO_8859_1);
    }

    int addUtf8(final String ascii) {
        final byte[] bytes = ascii.getBytes(StandardCharsets.US_ASCII);
        return add(PoolEntry.TAG_UTF8, bytes, bytes.length);
    }

    int addClass(final String internalName) {
        return add(PoolEntry.TAG_CLASS, new byte[0], addUtf8(internalName));
    }

    int addNameAndType(final String name, final String descriptor) {
        final byte[] second = new byte[2];
        final int first = addUtf8(name);
        putU2(second, 0, addUtf8(descriptor));
        return add(PoolEntry.TAG_NAME_AND_TYPE, second, first);
    }

    private int add(final int tag, final byte[] tail, final int head) {
        if (count == MAX_COUNT) {
            throw new IllegalArgumentException("constant pool is full: constants=" + count);
        }
        added.write(tag);
        added.write(head >> 8);
        added.write(head);
        added.writeBytes(tail);
        return count++;
    }
}
