package tutti.daemon.checkpoints;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tutti.runtime.checkpoint.store.SavedRank;

/**
 * Content of the {@code state} file of a rank: the items that were saved. Short items are in the file itself, others in files of one block
 * each.
 *
 * <pre>
 * +--------+---------+--------+--------+-------+------+-----+------------+-------+------+---------+------------+
 * | magic  | version | series | number | ranks | rank | job | generation | point | time | keepers | data bytes |
 * +--------+---------+--------+--------+-------+------+-----+------------+-------+------+---------+------------+
 * | bytes of a block | number of items | per item: name, length, sum of each block, the bytes of a short item     |
 * +------------------+-----------------+----------------------------------------------------+-----------------+
 * | sum of all before                                                                                          |
 * +------------------------------------------------------------------------------------------------------------+
 * </pre>
 *
 * @param header what the file says about the checkpoint
 * @param items  the items, in the order in which they were saved
 */
record RankState(Header header, List<Item> items) {
    /** Most bytes of a block. */
    static final int BLOCK_BYTES = 32 << 20;
    /** Items with fewer bytes are in the state file. */
    static final int INLINE_BYTES = 64 << 10;
    private static final int MAGIC = 0x54544350;
    private static final int VERSION = 1;
    private static final int MAX_NAME = 1000;
    private static final int MAX_KEEPERS = 1 << 17;

    RankState {
        items = List.copyOf(items);
    }

    /**
     * Header of a state file: the checkpoint to which the state belongs.
     *
     * @param series     the series
     * @param number     number in the series
     * @param ranks      number of ranks of the job
     * @param rank       the rank
     * @param job        id of the job
     * @param generation how many jobs have continued the series up to that job, from 1
     * @param point      point in the program
     * @param time       when it was written, in milliseconds of the epoch
     * @param keepers    names of the nodes of the job, and of those that keep copies
     * @param bytes      bytes of the data
     */
    record Header(String series, int number, int ranks, int rank, String job, int generation, long point, long time, List<String> keepers,
        long bytes) {
        Header {
            keepers = List.copyOf(keepers);
        }

        /** Checks that the state is that of a rank at a checkpoint of a job. */
        void check(final String ofSeries, final int ofNumber, final int ofRank, final String ofJob) throws IOException {
            if (!series.equals(ofSeries) || number != ofNumber || rank != ofRank || !job.equals(ofJob)) {
                throw new IOException("state is that of another rank: rank=" + rank + ", expected=" + ofRank);
            }
        }

        private void write(final DataOutputStream out) throws IOException {
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeUTF(series);
            out.writeInt(number);
            out.writeInt(ranks);
            out.writeInt(rank);
            out.writeUTF(job);
            out.writeInt(generation);
            out.writeLong(point);
            out.writeLong(time);
            out.writeInt(keepers.size());
            for (final String k : keepers) {
                out.writeUTF(k);
            }
            out.writeLong(bytes);
        }

        private static Header read(final DataInputStream in) throws IOException {
            if (in.readInt() != MAGIC) {
                throw new IOException("it is not the state of a rank");
            }
            final int version = in.readInt();
            if (version != VERSION) {
                throw new IOException("its version differs: version=" + version + ", here=" + VERSION);
            }
            final String series = in.readUTF();
            final int number = in.readInt();
            final int ranks = in.readInt();
            final int rank = in.readInt();
            final String job = in.readUTF();
            final int generation = in.readInt();
            final long point = in.readLong();
            final long time = in.readLong();
            final int count = count(in.readInt(), MAX_KEEPERS, "nodes");
            final List<String> keepers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                keepers.add(in.readUTF());
            }
            return new Header(series, number, ranks, rank, job, generation, point, time, keepers, in.readLong());
        }
    }

    /**
     * Item of a rank's state.
     *
     * @param name   its name
     * @param length its length in bytes
     * @param offset where its bytes begin in the state file; -1 when they are in files of their own
     * @param sums   the sum of each block
     */
    record Item(String name, long length, long offset, List<Long> sums) {
        Item {
            sums = List.copyOf(sums);
        }

        boolean isInline() {
            return offset >= 0;
        }

        /** Returns the number of bytes of a block. */
        int blockBytes(final int block) {
            return (int) Math.min(BLOCK_BYTES, length - (long) block * BLOCK_BYTES);
        }
    }

    /**
     * File of a block.
     *
     * @param item  index of the item
     * @param block index of the block in the item
     */
    record BlockFile(int item, int block) {
        String name() {
            return item + "-" + block;
        }
    }

    /** Returns the files of the blocks, in the order in which they are sent to other nodes. */
    List<BlockFile> files() {
        final List<BlockFile> files = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            final int item = i;
            if (!items.get(i).isInline()) {
                for (int b = 0; b < items.get(i).sums().size(); b++) {
                    files.add(new BlockFile(item, b));
                }
            }
        }
        return files;
    }

    int bytes(final BlockFile file) {
        return items.get(file.item()).blockBytes(file.block());
    }

    long sum(final BlockFile file) {
        return items.get(file.item()).sums().get(file.block());
    }

    private static int blocks(final long length) {
        return length < INLINE_BYTES ? 1 : Math.toIntExact((length + BLOCK_BYTES - 1) / BLOCK_BYTES);
    }

    /** Returns the memory of a block. */
    static MemorySegment slice(final SavedRank.Item item, final int block) {
        final long at = (long) block * BLOCK_BYTES;
        return item.data().asSlice(at, Math.min(BLOCK_BYTES, item.data().byteSize() - at));
    }

    /** Writes a state file with the sums of the data, and returns its content. */
    static RankState write(final Path file, final Header header, final SavedRank saved) throws IOException {
        final Set<String> names = new HashSet<>();
        final List<Item> items = new ArrayList<>();
        try (SummedOutput summed = new SummedOutput(new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), 1 << 16));
             DataOutputStream out = new DataOutputStream(summed)) {
            header.write(out);
            out.writeInt(BLOCK_BYTES);
            out.writeInt(saved.items().size());
            for (final SavedRank.Item item : saved.items()) {
                if (item.name().length() > MAX_NAME || !names.add(item.name())) {
                    throw new IOException("name of an item is too long or there are two of that name: name=" + item.name() + ", max=" + MAX_NAME);
                }
                items.add(write(out, summed, item));
            }
            out.writeLong(summed.sums.value());
        }
        return new RankState(header, items);
    }

    private static Item write(final DataOutputStream out, final SummedOutput position, final SavedRank.Item item) throws IOException {
        final long length = item.data().byteSize();
        out.writeUTF(item.name());
        out.writeLong(length);
        final List<Long> sums = new ArrayList<>();
        for (int b = 0; b < blocks(length); b++) {
            sums.add(BlockSums.of(slice(item, b)));
            out.writeLong(sums.getLast());
        }
        final boolean isInline = length < INLINE_BYTES;
        final long offset = isInline ? position.bytes : -1;
        if (isInline) {
            final byte[] bytes = new byte[(int) length];
            MemorySegment.copy(item.data(), 0, MemorySegment.ofArray(bytes), 0, length);
            out.write(bytes);
        }
        return new Item(item.name(), length, offset, sums);
    }

    /**
     * Reads the first part of a state file, which is not verified.
     *
     * @throws IOException when it cannot be read
     */
    static Header header(final Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            return Header.read(in);
        } catch (final EOFException e) {
            throw new IOException("it is too short", e);
        }
    }

    /**
     * Reads a state file and verifies it.
     *
     * @throws IOException when it cannot be read, or its bytes are not those that were written
     */
    static RankState read(final Path file) throws IOException {
        try (SummedInput summed = new SummedInput(new BufferedInputStream(Files.newInputStream(file), 1 << 16));
             DataInputStream in = new DataInputStream(summed)) {
            final long size = Files.size(file);
            final Header header = Header.read(in);
            final int block = in.readInt();
            if (block != BLOCK_BYTES) {
                throw new IOException("length of a block out of range: bytes=" + block + ", expected=" + BLOCK_BYTES);
            }
            final int count = in.readInt();
            final List<Item> items = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                items.add(item(in, summed, size));
            }
            final long sum = summed.sums.value();
            if (count < 0 || in.readLong() != sum || in.read() >= 0) {
                throw new IOException("it is damaged: its sum is not the one at its end");
            }
            return new RankState(header, items);
        } catch (final EOFException e) {
            throw new IOException("it is too short", e);
        }
    }

    private static Item item(final DataInputStream in, final SummedInput position, final long size) throws IOException {
        final String name = in.readUTF();
        final long length = in.readLong();
        // a damaged length must not make this node read or reserve without end
        if (length < 0 || (length + BLOCK_BYTES - 1) / BLOCK_BYTES * Long.BYTES > size) {
            throw new IOException("it is damaged: length of item " + name + " is " + length);
        }
        final List<Long> sums = new ArrayList<>();
        for (int b = 0; b < blocks(length); b++) {
            sums.add(in.readLong());
        }
        final boolean isInline = length < INLINE_BYTES;
        final long offset = isInline ? position.bytes : -1;
        if (isInline) {
            in.readFully(new byte[(int) length]);
        }
        return new Item(name, length, offset, sums);
    }

    private static int count(final int count, final int max, final String of) throws IOException {
        if (count < 0 || count > max) {
            throw new IOException("it is damaged: number of " + of + " is " + count);
        }
        return count;
    }

    /** Stream that sums and counts what is written. */
    private static final class SummedOutput extends FilterOutputStream {
        private final BlockSums sums = new BlockSums();
        private long bytes;

        SummedOutput(final OutputStream out) {
            super(out);
        }

        @Override
        public void write(final int b) throws IOException {
            out.write(b);
            sums.update(b);
            bytes++;
        }

        @Override
        public void write(final byte[] b, final int offset, final int length) throws IOException {
            out.write(b, offset, length);
            sums.update(b, offset, length);
            bytes += length;
        }
    }

    /** Stream that sums and counts what is read. */
    private static final class SummedInput extends FilterInputStream {
        private final BlockSums sums = new BlockSums();
        private long bytes;

        SummedInput(final InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            final int b = in.read();
            if (b >= 0) {
                sums.update(b);
                bytes++;
            }
            return b;
        }

        @Override
        public int read(final byte[] b, final int offset, final int length) throws IOException {
            final int n = in.read(b, offset, length);
            if (n > 0) {
                sums.update(b, offset, n);
                bytes += n;
            }
            return n;
        }
    }
}
