package tutti.runtime.transport.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import tutti.runtime.transport.BulkAccess;

/**
 * Key of exposed memory. The numbers are big-endian; the check sum is that of all other bytes, since libucp trusts the bytes of its keys.
 *
 * <pre>
 *  +-----------+-----------+-------------+------------+-----------------+
 *  | check u32 | token u64 | address u64 | length u64 | key of libucp   |
 *  +-----------+-----------+-------------+------------+-----------------+
 * </pre>
 *
 * @param token   token of the link's end that exposes the memory
 * @param address address of the memory in the process of that end
 * @param length  length of the memory in bytes
 * @param key     key in libucp's format
 */
record BulkKey(long token, long address, long length, byte[] key) {
    private static final int HEADER = Integer.BYTES + 3 * Long.BYTES;

    /** Returns the bytes of the key. */
    byte[] encode() {
        int bytes = HEADER + key.length;
        if (bytes > BulkAccess.MAX_KEY) {
            throw new IllegalStateException("key of memory too long: bytes=" + bytes + ", max=" + BulkAccess.MAX_KEY
                + ": name fewer devices in the variable UCX_NET_DEVICES");
        }
        ByteBuffer buffer = ByteBuffer.allocate(bytes).putInt(0).putLong(token).putLong(address).putLong(length).put(key);
        return buffer.putInt(0, check(buffer)).array();
    }

    /**
     * Decodes a key.
     *
     * @param token token of the end that must have made the key
     * @throws IllegalArgumentException when it has not, or the bytes are no key
     */
    static BulkKey decode(final MemorySegment memory, final long offset, final int bytes, final long token) {
        if (bytes <= HEADER || bytes > BulkAccess.MAX_KEY) {
            throw new IllegalArgumentException("key out of range: bytes=" + bytes + ", from=" + (HEADER + 1) + ", to=" + BulkAccess.MAX_KEY);
        }
        ByteBuffer buffer = ByteBuffer.wrap(memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
        int stated = buffer.getInt();
        if (stated != check(buffer)) {
            throw new IllegalArgumentException("not a key of exposed memory: its check sum is wrong");
        }
        long maker = buffer.getLong();
        if (maker != token) {
            throw new IllegalArgumentException("not a key of this link's peer");
        }
        long address = buffer.getLong();
        long length = buffer.getLong();
        if (length < 1) {
            throw new IllegalArgumentException("not a key of exposed memory: length=" + length);
        }
        return new BulkKey(maker, address, length, Arrays.copyOfRange(buffer.array(), HEADER, bytes));
    }

    private static int check(final ByteBuffer buffer) {
        CRC32C sum = new CRC32C();
        sum.update(buffer.array(), Integer.BYTES, buffer.capacity() - Integer.BYTES);
        return (int) sum.getValue();
    }
}
