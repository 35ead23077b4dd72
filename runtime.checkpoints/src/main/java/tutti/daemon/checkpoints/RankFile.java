package tutti.daemon.checkpoints;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/** The state of a rank in one file, as which it passes between the JVM of a job and its node. */
public final class RankFile implements StoredRank, AutoCloseable {
    private static final int MAGIC = 0x54545246;

    private final Arena arena = Arena.ofShared();
    private final int rank;
    private final int ranks;
    private final long point;
    private final Map<String, MemorySegment> data = new LinkedHashMap<>();

    private RankFile(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            final MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            final int header = all.byteSize() < Integer.BYTES ? -1 : all.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
            if (header < 0 || header > all.byteSize() - Integer.BYTES) {
                throw new IOException("no file of a rank: " + file);
            }
            try (DataInputStream in =
                new DataInputStream(new ByteArrayInputStream(all.asSlice(Integer.BYTES, header).toArray(ValueLayout.JAVA_BYTE)))) {
                if (in.readInt() != MAGIC) {
                    throw new IOException("no file of a rank: " + file);
                }
                rank = in.readInt();
                ranks = in.readInt();
                point = in.readLong();
                long at = (long) Integer.BYTES + header;
                while (in.available() > 0) {
                    final String name = in.readUTF();
                    final long bytes = in.readLong();
                    data.put(name, all.asSlice(at, bytes));
                    at += bytes;
                }
            }
        } catch (final IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Opens a file. */
    public static RankFile open(final Path file) throws IOException {
        return new RankFile(file);
    }

    /** Writes a state, in place of what the file has. */
    public static void write(final Path file, final SavedRank state) throws IOException {
        final ByteArrayOutputStream header = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(header)) {
            out.writeInt(MAGIC);
            out.writeInt(state.rank());
            out.writeInt(state.ranks());
            out.writeLong(state.point());
            for (final SavedRank.Item item : state.items()) {
                out.writeUTF(item.name());
                out.writeLong(item.data().byteSize());
            }
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ,
            StandardOpenOption.WRITE); Arena mapped = Arena.ofConfined()) {
            final MemorySegment all = channel.map(FileChannel.MapMode.READ_WRITE, 0, Integer.BYTES + header.size() + state.bytes(), mapped);
            all.set(ValueLayout.JAVA_INT_UNALIGNED, 0, header.size());
            MemorySegment.copy(MemorySegment.ofArray(header.toByteArray()), 0, all, Integer.BYTES, header.size());
            long at = (long) Integer.BYTES + header.size();
            for (final SavedRank.Item item : state.items()) {
                MemorySegment.copy(item.data(), 0, all, at, item.data().byteSize());
                at += item.data().byteSize();
            }
        }
    }

    /** Writes the stored state of a rank. */
    public static void write(final Path file, final int rank, final StoredRank stored) throws IOException {
        try (Arena copies = Arena.ofConfined()) {
            final List<SavedRank.Item> items = new ArrayList<>();
            for (final Map.Entry<String, Long> item : stored.items().entrySet()) {
                final MemorySegment copy = copies.allocate(Math.max(1, item.getValue())).asSlice(0, item.getValue());
                stored.read(item.getKey(), copy);
                items.add(new SavedRank.Item(item.getKey(), copy));
            }
            write(file, new SavedRank(rank, stored.ranks(), stored.point(), items));
        }
    }

    /** Returns the state, whose data is valid until the file is closed. */
    public SavedRank saved() {
        return new SavedRank(rank, ranks, point, data.entrySet().stream().map(e -> new SavedRank.Item(e.getKey(), e.getValue())).toList());
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public long point() {
        return point;
    }

    @Override
    public Map<String, Long> items() {
        final Map<String, Long> items = new LinkedHashMap<>();
        data.forEach((name, bytes) -> items.put(name, bytes.byteSize()));
        return items;
    }

    @Override
    public void read(final String name, final MemorySegment into) throws IOException {
        final MemorySegment from = data.get(name);
        if (from == null || from.byteSize() != into.byteSize()) {
            throw new IOException("no item of that length: name=" + name + ", bytes=" + into.byteSize());
        }
        MemorySegment.copy(from, 0, into, 0, from.byteSize());
    }

    @Override
    public void close() {
        arena.close();
    }
}
