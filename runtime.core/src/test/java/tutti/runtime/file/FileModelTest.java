package tutti.runtime.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.Status;

/**
 * Runs random programs that read and write a file, and compares what the ranks read and the file with a model that is an array of bytes. Between the
 * steps of a program the ranks meet; in a step each rank writes to elements of its own.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class FileModelTest {
    private static final int PROGRAMS = Integer.getInteger("tutti.files", 40);
    private static final int STEPS = 14;
    private static final int MOST = 40_000;
    private static final int CREATE_RDWR = 9;
    private static final List<Datatype> ETYPES = List.of(Datatype.BYTE, Datatype.SHORT, Datatype.INT, Datatype.LONG);

    @TempDir
    Path folder;

    /** The file, and the pointers. */
    private static final class Model {
        private byte[] file = {};
        private final long[] pointers;
        private long shared;

        Model(final int ranks) {
            pointers = new long[ranks];
        }

        void resize(final int size) {
            file = Arrays.copyOf(file, size);
        }

        /** Writes to a view; data is as in memory. */
        void write(final View view, final long element, final byte[] data) {
            for (int i = 0; i < data.length; i++) {
                final int at = view.offset(element, i);
                if (at >= file.length) {
                    resize(at + 1);
                }
                file[at] = data[i];
            }
        }

        /** Reads from a view up to the end of the file. */
        byte[] read(final View view, final long element, final int bytes) {
            final byte[] data = new byte[bytes];
            int n = 0;
            while (n < bytes && view.inFile(element, n) < file.length) {
                n++;
            }
            for (int i = 0; i < n; i++) {
                final int at = view.offset(element, i);
                data[i] = at < file.length ? file[at] : 0;
            }
            return Arrays.copyOf(data, n);
        }
    }

    /** The view of a rank: which elements of each tile it shows. */
    private record View(int displacement, Datatype etype, int tile, int[] shown, String representation) {
        Datatype filetype() {
            final long[] ones = new long[shown.length];
            Arrays.fill(ones, 1);
            final long[] at = IntStream.of(shown).asLongStream().toArray();
            return Datatype.resized(Datatype.indexed(ones, at, etype), 0, tile * etype.size());
        }

        /** Returns where a byte of data is that follows an element, in the order of the file. */
        int inFile(final long element, final int i) {
            final int size = (int) etype.size();
            final long e = element + i / size;
            return (int) (displacement + (e / shown.length * tile + shown[(int) (e % shown.length)]) * size + i % size);
        }

        /** Returns the same, in the order of memory. */
        int offset(final long element, final int i) {
            final int size = (int) etype.size();
            return representation.equals("external32") ? inFile(element, i / size * size + size - 1 - i % size) : inFile(element, i);
        }
    }

    /** The calls of a rank in a step. */
    private interface Act {
        void run(SharedFile file, Communicator comm);
    }

    /** A way to call an access. */
    private static Status call(final SharedFile f, final FileAccess access, final int form, final long offset, final Object buffer, final long count,
        final Datatype type) {
        if (form == 1) {
            return f.start(access, offset, buffer, count, type).waitFor();
        }
        if (form == 2 && access.isCollective()) {
            f.begin(access, offset, buffer, count, type);
            return f.end(access, buffer);
        }
        return f.access(access, offset, buffer, count, type);
    }

    /** A buffer of a kind with elements, with gaps or without. */
    private static final class Elements {
        private final boolean hasGaps;
        private final int size;
        private final Object buffer;
        private final MemorySegment memory;

        Elements(final int kind, final int size, final int bytes) {
            this.hasGaps = kind % 2 == 1;
            this.size = size;
            final int length = hasGaps ? 2 * bytes : bytes;
            if (kind < 2) {
                final byte[] array = new byte[length];
                buffer = array;
                memory = MemorySegment.ofArray(array);
            } else {
                memory = Arena.ofAuto().allocate(Math.max(1, length));
                buffer = memory;
            }
        }

        Datatype type(final Datatype etype) {
            return hasGaps ? Datatype.resized(etype, 0, 2L * size) : etype;
        }

        void set(final byte[] data) {
            for (int i = 0; i < data.length; i++) {
                memory.set(ValueLayout.JAVA_BYTE, at(i), data[i]);
            }
        }

        byte[] get(final int bytes) {
            final byte[] data = new byte[bytes];
            for (int i = 0; i < bytes; i++) {
                data[i] = memory.get(ValueLayout.JAVA_BYTE, at(i));
            }
            return data;
        }

        private int at(final int i) {
            return hasGaps ? i / size * 2 * size + i % size : i;
        }
    }

    /** A random program: its steps for each rank, and the model. */
    private static final class Program {
        private final SplittableRandom random;
        private final int ranks;
        private final Model model;
        private final View[] views;
        private final List<Act[]> steps = new ArrayList<>();
        private boolean isCommon;

        Program(final long seed, final int ranks) {
            this.random = new SplittableRandom(seed);
            this.ranks = ranks;
            this.model = new Model(ranks);
            this.views = new View[ranks];
            view();
            for (int i = 0; i < STEPS; i++) {
                step();
            }
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0, 1 -> view();
                case 2, 3, 4 -> write();
                case 5, 6, 7 -> read();
                case 8 -> resize();
                case 9 -> seek();
                case 10 -> hints();
                default -> ordered();
            }
        }

        private void all(final Act act) {
            final Act[] each = new Act[ranks];
            Arrays.fill(each, act);
            steps.add(each);
        }

        private void view() {
            final int displacement = random.nextInt(30);
            final Datatype etype = ETYPES.get(random.nextInt(ETYPES.size()));
            final String representation = random.nextInt(3) == 0 ? "external32" : "native";
            final int tile = 1 + random.nextInt(12);
            isCommon = random.nextInt(3) == 0;
            final int[] owner = random.ints(tile, 0, ranks + 1).toArray();
            final Act[] each = new Act[ranks];
            for (int r = 0; r < ranks; r++) {
                final int rank = r;
                final int[] shown = IntStream.range(0, tile).filter(i -> isCommon ? owner[i] <= ranks / 2 || i == 0 : owner[i] == rank).toArray();
                final View view = new View(displacement, etype, tile, shown, representation);
                views[r] = view;
                model.pointers[r] = 0;
                each[r] = (f, c) -> f.setView(view.displacement, etype, view.filetype(), representation);
            }
            model.shared = 0;
            steps.add(each);
        }

        private FileAccess access(final boolean isWrite) {
            return switch (random.nextInt(4)) {
                case 0 -> isWrite ? FileAccess.WRITE_AT : FileAccess.READ_AT;
                case 1 -> isWrite ? FileAccess.WRITE_AT_ALL : FileAccess.READ_AT_ALL;
                case 2 -> isWrite ? FileAccess.WRITE : FileAccess.READ;
                default -> isWrite ? FileAccess.WRITE_ALL : FileAccess.READ_ALL;
            };
        }

        private int count(final View view) {
            if (view.shown.length == 0 || random.nextInt(8) == 0) {
                return 0;
            }
            return random.nextInt(random.nextInt(6) == 0 ? MOST / 10 : 120);
        }

        private byte[] data(final int bytes) {
            final byte[] data = new byte[bytes];
            random.nextBytes(data);
            return data;
        }

        private void write() {
            final FileAccess access = access(true);
            final int form = random.nextInt(3);
            final int writer = random.nextInt(ranks);
            final Act[] each = new Act[ranks];
            for (int r = 0; r < ranks; r++) {
                final int rank = r;
                final View view = views[r];
                // ranks that see the same write one at a time
                final int count = isCommon && r != writer ? 0 : count(view);
                final byte[] data = data(count * (int) view.etype.size());
                final long offset = random.nextInt(150);
                final long element = begin(access, rank, offset, count);
                if (count > 0) {
                    model.write(view, element, data);
                }
                final int kind = random.nextInt(4);
                each[r] = (f, c) -> {
                    final Elements elements = new Elements(kind, (int) view.etype.size(), data.length);
                    elements.set(data);
                    assertEquals(data.length, call(f, access, form, offset, elements.buffer, count, elements.type(view.etype)).bytes());
                };
            }
            steps.add(each);
        }

        /** Returns the element at which an access of a rank begins, and moves its pointer. */
        private long begin(final FileAccess access, final int rank, final long offset, final int count) {
            if (access.place() == FileAccess.Place.OFFSET) {
                return offset;
            }
            final long before = model.pointers[rank];
            model.pointers[rank] += count;
            return before;
        }

        private void read() {
            final FileAccess access = access(false);
            final int form = random.nextInt(3);
            final Act[] each = new Act[ranks];
            for (int r = 0; r < ranks; r++) {
                final View view = views[r];
                final int count = count(view);
                final long offset = random.nextInt(150);
                final long element = begin(access, r, offset, count);
                final byte[] expected = model.read(view, element, count * (int) view.etype.size());
                each[r] = reader(view, access, form, offset, count, expected);
            }
            steps.add(each);
        }

        private Act reader(final View view, final FileAccess access, final int form, final long offset, final int count, final byte[] expected) {
            final int kind = random.nextInt(4);
            return (f, c) -> {
                final Elements elements = new Elements(kind, (int) view.etype.size(), count * (int) view.etype.size());
                final Status status = call(f, access, form, offset, elements.buffer, count, elements.type(view.etype));
                final int whole = expected.length / (int) view.etype.size() * (int) view.etype.size();
                assertEquals(expected.length, status.bytes());
                assertArrayEquals(Arrays.copyOf(expected, whole), elements.get(whole));
            };
        }

        private void resize() {
            final int size = random.nextInt(3_000);
            if (random.nextBoolean()) {
                model.resize(size);
                all((f, c) -> f.setSize(size));
            } else {
                model.resize(Math.max(size, model.file.length));
                all((f, c) -> f.preallocate(size));
            }
        }

        private void seek() {
            final Act[] each = new Act[ranks];
            for (int r = 0; r < ranks; r++) {
                final int rank = r;
                final long to = random.nextInt(200);
                final boolean isRelative = random.nextBoolean();
                final long from = model.pointers[r];
                model.pointers[r] = to;
                each[r] = (f, c) -> {
                    assertEquals(from, f.position());
                    f.seek(isRelative ? to - from : to, isRelative ? SharedFile.Whence.POINTER : SharedFile.Whence.BEGIN);
                    final View view = views[rank];
                    assertEquals(to, f.position(), view::toString);
                };
            }
            steps.add(each);
        }

        private void hints() {
            final Map<String, String> hints = Map.of("cb_nodes", Integer.toString(1 + random.nextInt(3)), "cb_buffer_size",
                Integer.toString(1 << 10 + random.nextInt(6)), "collective_buffering", random.nextInt(4) == 0 ? "false" : "true", "romio_ds_read",
                random.nextInt(3) == 0 ? "disable" : "automatic");
            final boolean isAtomic = random.nextInt(3) == 0;
            all((f, c) -> {
                f.setHints(hints);
                f.setAtomicity(isAtomic);
            });
        }

        /** Writes or reads at the shared pointer, where all ranks see the same. */
        private void ordered() {
            if (!isCommon) {
                return;
            }
            final boolean isWrite = random.nextBoolean();
            final int form = random.nextInt(3);
            final Act[] each = new Act[ranks];
            for (int r = 0; r < ranks; r++) {
                final View view = views[r];
                final int count = count(view);
                final byte[] data = data(count * (int) view.etype.size());
                if (isWrite && count > 0) {
                    model.write(view, model.shared, data);
                }
                final int kind = random.nextInt(4);
                each[r] = !isWrite ? reader(view, FileAccess.READ_ORDERED, form, 0, count, model.read(view, model.shared, data.length)) : (f, c) -> {
                    final Elements elements = new Elements(kind, (int) view.etype.size(), data.length);
                    elements.set(data);
                    call(f, FileAccess.WRITE_ORDERED, form, 0, elements.buffer, count, elements.type(view.etype));
                };
                model.shared += count;
            }
            steps.add(each);
            final long after = model.shared;
            all((f, c) -> assertEquals(after, f.sharedPosition()));
        }
    }

    @ParameterizedTest
    @Tag("nightly")
    @CsvSource({"2, 1", "3, 1", "7, 1", "2, 2", "4, 2", "5, 3", "6, 2", "7, 3"})
    void shouldReadAndWriteWhatAModelDoes(final int ranks, final int nodes) throws Exception {
        for (int i = 0; i < PROGRAMS; i++) {
            final long seed = 1_000L * ranks + 100L * nodes + i;
            final Program program = new Program(seed, ranks);
            final Path path = folder.resolve("data" + i);
            try (MemoryTransport transport = new MemoryTransport(96 * 1024)) {
                Ranks.run(ranks, nodes, transport, Ranks.job(ranks, Map.of(), List.of(new BasicModule())), rank -> {
                    final Communicator c = rank.world();
                    final SharedFile f = SharedFile.open(c, path.toString(), CREATE_RDWR, Map.of());
                    int step = 0;
                    for (final Act[] each : program.steps) {
                        try {
                            each[c.rank()].run(f, c);
                        } catch (final AssertionError | RuntimeException e) {
                            throw new AssertionError("program " + seed + ", step " + step + ", rank " + c.rank() + ": " + e.getMessage(), e);
                        }
                        c.engine().blocking().barrier();
                        step++;
                    }
                    f.close();
                });
            }
            assertArrayEquals(program.model.file, Files.readAllBytes(path), "program " + seed);
            Files.delete(path);
        }
    }
}
