package tutti.daemon.checkpoints;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import tutti.daemon.protocol.MessageCodec;
import tutti.runtime.checkpoint.store.SavedRank;

/**
 * Content of the {@code state} file of a rank: the items that were saved. Short items are in the file itself, others in files of one block
 * each.
 *
 * <pre>
 * +-------+---------+------------------+---------------+---------------------+----------------------+-------------------+
 * | magic | version | bytes of a block | bytes of JSON | JSON of this record | bytes of short items | sum of all before |
 * +-------+---------+------------------+---------------+---------------------+----------------------+-------------------+
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
    private static final int VERSION = 2;
    private static final int MAX_NAME = 1000;

    RankState {
        Objects.requireNonNull(header, "header");
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
            Objects.requireNonNull(series, "series");
            Objects.requireNonNull(job, "job");
            keepers = List.copyOf(keepers);
        }

        /** Checks that the state is that of a rank at a checkpoint of a job. */
        void check(final String ofSeries, final int ofNumber, final int ofRank, final String ofJob) throws IOException {
            if (!series.equals(ofSeries) || number != ofNumber || rank != ofRank || !job.equals(ofJob)) {
                // Cause: files were moved by hand. Remedy: continue from another checkpoint.
                throw new IOException("state is that of another rank: rank=" + rank + ", expected=" + ofRank);
            }
        }
    }

    /**
     * Item of a rank's state.
     *
     * @param name    its name
     * @param length  its length in bytes
     * @param fromEnd bytes of the state file from the first one of the item on; 0 when its bytes are in files of their own
     * @param sums    the sum of each block
     */
    record Item(String name, long length, long fromEnd, List<Long> sums) {
        Item {
            Objects.requireNonNull(name, "name");
            sums = List.copyOf(sums);
        }

        boolean isInline() {
            return fromEnd > 0;
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
            for (int b = 0; b < items.get(i).sums().size() && !items.get(i).isInline(); b++) {
                files.add(new BlockFile(i, b));
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

    /** Returns the memory of a block of an item. */
    static MemorySegment slice(final MemorySegment data, final int block) {
        final long at = (long) block * BLOCK_BYTES;
        return data.asSlice(at, Math.min(BLOCK_BYTES, data.byteSize() - at));
    }

    private static List<Long> sums(final MemorySegment data) {
        final List<Long> sums = new ArrayList<>();
        do {
            sums.add(BlockSums.of(slice(data, sums.size())));
        } while ((long) sums.size() * BLOCK_BYTES < data.byteSize());
        return sums;
    }

    /** Writes a state file with the sums of the data, and returns its content. */
    static RankState write(final Path file, final Header header, final SavedRank saved) throws IOException {
        final List<MemorySegment> inline = saved.items().stream().map(SavedRank.Item::data).filter(d -> d.byteSize() < INLINE_BYTES).toList();
        long fromEnd = Long.BYTES + inline.stream().mapToLong(MemorySegment::byteSize).sum();
        final Set<String> names = new HashSet<>();
        final List<Item> items = new ArrayList<>();
        for (final SavedRank.Item item : saved.items()) {
            if (item.name().length() > MAX_NAME || !names.add(item.name())) {
                // Remedy: another name.
                throw new IOException("name of an item is too long or there are two of that name: name=" + item.name() + ", max=" + MAX_NAME);
            }
            final long length = item.data().byteSize();
            final boolean isInline = length < INLINE_BYTES;
            items.add(new Item(item.name(), length, isInline ? fromEnd : 0, sums(item.data())));
            fromEnd -= isInline ? length : 0;
        }
        final RankState state = new RankState(header, items);
        final BlockSums sum = new BlockSums();
        try (DataOutputStream out = new DataOutputStream(new CheckedOutputStream(
            new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), 1 << 16), sum))) {
            final byte[] json = MessageCodec.write(state);
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeInt(BLOCK_BYTES);
            out.writeInt(json.length);
            out.write(json);
            for (final MemorySegment data : inline) {
                out.write(data.toArray(ValueLayout.JAVA_BYTE));
            }
            out.writeLong(sum.getValue());
        }
        return state;
    }

    /**
     * Reads the first part of a state file, which is not verified.
     *
     * @throws IOException when it cannot be read
     */
    static Header header(final Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            return read(in, Files.size(file)).header();
        } catch (final EOFException e) {
            // Cause: the file was changed, or its disk is broken. Remedy: continue from another checkpoint.
            throw new IOException("it is too short", e);
        }
    }

    /**
     * Reads a state file and verifies it.
     *
     * @throws IOException when it cannot be read, or its bytes are not those that were written
     */
    static RankState read(final Path file) throws IOException {
        final BlockSums sums = new BlockSums();
        try (DataInputStream in =
            new DataInputStream(new CheckedInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16), sums))) {
            final RankState state = read(in, Files.size(file));
            in.skipNBytes(state.items().stream().filter(Item::isInline).mapToLong(Item::length).sum());
            final long sum = sums.getValue();
            if (in.readLong() != sum || in.read() >= 0) {
                // Cause: the file was changed, or its disk is broken. Remedy: continue from another checkpoint.
                throw new IOException("it is damaged: its sum is not the one at its end");
            }
            return state;
        } catch (final EOFException e) {
            throw new IOException("it is too short", e);
        }
    }

    private static RankState read(final DataInputStream in, final long size) throws IOException {
        if (in.readInt() != MAGIC) {
            // Cause: the file was changed, or its disk is broken. Remedy: continue from another checkpoint.
            throw new IOException("it is not the state of a rank");
        }
        final int version = in.readInt();
        if (version != VERSION) {
            // Cause: it was saved by another release. Remedy: that release.
            throw new IOException("its version differs: version=" + version + ", here=" + VERSION);
        }
        final int block = in.readInt();
        if (block != BLOCK_BYTES) {
            // Cause: it was saved by another release. Remedy: that release.
            throw new IOException("length of a block out of range: bytes=" + block + ", expected=" + BLOCK_BYTES);
        }
        final int json = in.readInt();
        // a damaged length must not make this node reserve without end
        if (json < 0 || json > size) {
            throw new IOException("it is damaged: length of its JSON is " + json);
        }
        return MessageCodec.read(in.readNBytes(json), RankState.class);
    }
}
