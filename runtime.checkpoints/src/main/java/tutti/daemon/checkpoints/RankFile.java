package tutti.daemon.checkpoints;

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
import tutti.daemon.protocol.MessageCodec;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/** The state of a rank in one file, as which it passes between the JVM of a job and its node: the length of a header, the header, and the data. */
public final class RankFile implements StoredRank, AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final Header header;
    private final Map<String, MemorySegment> data = new LinkedHashMap<>();

    /** Header of the file, as JSON. */
    private record Header(int rank, int ranks, long point, Map<String, Long> items) {}

    private RankFile(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            final MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            final int json = all.byteSize() < Integer.BYTES ? -1 : all.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
            if (json < 0 || json > all.byteSize() - Integer.BYTES) {
                throw new IOException("no file of a rank: " + file);
            }
            header = MessageCodec.read(all.asSlice(Integer.BYTES, json).toArray(ValueLayout.JAVA_BYTE), Header.class);
            long at = (long) Integer.BYTES + json;
            for (final Map.Entry<String, Long> item : header.items().entrySet()) {
                data.put(item.getKey(), all.asSlice(at, item.getValue()));
                at += item.getValue();
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
        final Map<String, Long> lengths = new LinkedHashMap<>();
        state.items().forEach(i -> lengths.put(i.name(), i.data().byteSize()));
        final byte[] json = MessageCodec.write(new Header(state.rank(), state.ranks(), state.point(), lengths));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ,
            StandardOpenOption.WRITE); Arena mapped = Arena.ofConfined()) {
            final MemorySegment all = channel.map(FileChannel.MapMode.READ_WRITE, 0, Integer.BYTES + json.length + state.bytes(), mapped);
            all.set(ValueLayout.JAVA_INT_UNALIGNED, 0, json.length);
            MemorySegment.copy(MemorySegment.ofArray(json), 0, all, Integer.BYTES, json.length);
            long at = (long) Integer.BYTES + json.length;
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
        return new SavedRank(header.rank(), header.ranks(), header.point(),
            data.entrySet().stream().map(e -> new SavedRank.Item(e.getKey(), e.getValue())).toList());
    }

    @Override
    public int ranks() {
        return header.ranks();
    }

    @Override
    public long point() {
        return header.point();
    }

    @Override
    public Map<String, Long> items() {
        return header.items();
    }

    @Override
    public void read(final String name, final MemorySegment into) throws IOException {
        final MemorySegment from = data.get(name);
        if (from == null || from.byteSize() != into.byteSize()) {
            // Cause: a file of the job is gone. Remedy: run the job again.
            throw new IOException("no item of that length: name=" + name + ", bytes=" + into.byteSize());
        }
        MemorySegment.copy(from, 0, into, 0, from.byteSize());
    }

    @Override
    public void close() {
        arena.close();
    }
}
