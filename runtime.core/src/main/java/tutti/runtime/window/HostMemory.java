package tutti.runtime.window;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.MemoryWords;
import tutti.runtime.access.WindowMemory;
import tutti.runtime.access.WindowPart;
import tutti.runtime.access.WindowTable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.context.CommContext;
import tutti.runtime.exchange.CallExchange;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.match.Mailbox;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.window.Window.Flavor;
import tutti.runtime.wire.PeerNode;

/**
 * Memory of the host that ranks of a window have in common: the words of each of them, and its memory where the window allocates it. The first of
 * these ranks, their leader, creates it. Ranks of several JVMs map a file of the host's shared memory, which has no name any more when all have
 * mapped it; ranks of one JVM need no file.
 */
final class HostMemory {
    private static final Path FOLDER = Path.of("/dev/shm");
    private static final String PREFIX = "tutti-window-";
    private static final int PIECE = 1 << 20;
    private static final int LINE = 64;
    /** Number of memory in the table of windows, while the ranks of one JVM get it. */
    private static final int WHOLE = -1;
    private static final HostMemory NONE = new HostMemory(Map.of(), Map.of());

    private final Map<Integer, MemorySegment> words;
    private final Map<Integer, MemorySegment> data;

    private HostMemory(final Map<Integer, MemorySegment> words, final Map<Integer, MemorySegment> data) {
        this.words = words;
        this.data = data;
    }

    /** Returns the words of a rank, which several JVMs map; null where they do not. */
    @Nullable
    MemorySegment words(final int rank) {
        return words.get(rank);
    }

    /** Returns the memory of a rank that this one accesses as its own; null where it does not. */
    @Nullable
    MemorySegment data(final int rank) {
        return data.get(rank);
    }

    /** Returns what this rank tells of its memory: with which ranks it can have memory in common. */
    static RankMemory told(final Communicator inner, final long bytes, final int unit, final Flavor flavor) {
        final CommContext context = inner.context();
        final Map<PeerNode, Boolean> asked = new IdentityHashMap<>();
        int leader = flavor == Flavor.SHARED ? 0 : context.rank();
        boolean isMapped = false;
        for (int r = 0; r < context.size(); r++) {
            final boolean isInJvm = context.target(r) instanceof Mailbox;
            if (isInJvm || flavor == Flavor.SHARED || context.target(r) instanceof final PeerNode n && sharesMemory(context, n, asked)) {
                leader = Math.min(leader, r);
                isMapped |= !isInJvm;
            }
        }
        return new RankMemory(bytes, unit, flavor, leader, isMapped, System.nanoTime() ^ ProcessHandle.current().pid() << Integer.SIZE);
    }

    private static boolean sharesMemory(final CommContext context, final PeerNode node, final Map<PeerNode, Boolean> asked) {
        return asked.computeIfAbsent(node, n -> {
            final CompletableFuture<Boolean> told = new CompletableFuture<>();
            n.askSharesMemory(told::complete);
            context.owner().await(told, PendingWait.Kind.WINDOW, null);
            return told.join();
        });
    }

    /**
     * Creates the memory together with all ranks of a window. Where there is not enough of it, shared memory is created on no rank, and the other
     * flavors go without.
     *
     * @param ranks what all ranks have told
     */
    static HostMemory create(final CallExchange exchange, final List<RankMemory> ranks) {
        final RankMemory own = ranks.get(exchange.comm().rank());
        try {
            if (ranks.stream().anyMatch(RankMemory::isMapped)) {
                return map(exchange, ranks, own);
            }
            return own.flavor() == Flavor.SHARED ? inJvm(exchange, ranks) : NONE;
        } catch (final MpiFailure e) {
            if (own.flavor() == Flavor.SHARED) {
                throw e;
            }
            return NONE;
        }
    }

    private static HostMemory map(final CallExchange exchange, final List<RankMemory> ranks, final RankMemory own) {
        final int rank = exchange.comm().rank();
        final Path folder = Files.isDirectory(FOLDER) ? FOLDER : Path.of(System.getProperty("java.io.tmpdir"));
        final Path file = folder.resolve(PREFIX + Long.toHexString(ranks.get(own.leader()).number()));
        final boolean isLeader = own.leader() == rank;
        MemorySegment mapped = MemorySegment.NULL;
        MpiFailure problem = null;
        try {
            if (own.isMapped() && isLeader) {
                try {
                    mapped = create(file, space(ranks, own, wordSpace(ranks, own)), own.flavor() == Flavor.SHARED);
                } catch (final MpiFailure e) {
                    problem = e;
                }
            }
            exchange.agree(problem);
            if (own.isMapped() && !isLeader) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, space(ranks, own, wordSpace(ranks, own)), Arena.ofAuto());
                } catch (final IOException e) {
                    // Cause: the ranks are on several hosts. Remedy: a communicator of `splitType(Comm.TYPE_SHARED, ...)`.
                    problem = new MpiFailure(ErrorClass.RMA_SHARED, "ranks of several hosts cannot share memory: rank " + rank
                        + " does not find that of rank " + own.leader() + ", reason=" + e.getMessage(), e);
                }
            }
            exchange.agree(problem);
            return own.isMapped() ? parts(ranks, own, mapped) : NONE;
        } finally {
            if (own.isMapped() && isLeader) {
                delete(file);
            }
        }
    }

    private static HostMemory inJvm(final CallExchange exchange, final List<RankMemory> ranks) {
        final Communicator inner = exchange.comm();
        final WindowTable table = inner.context().owner().job().windows();
        final boolean isLeader = inner.rank() == 0;
        MpiFailure problem = null;
        try {
            if (isLeader) {
                try {
                    final MemorySegment all = WindowMemory.allocate(space(ranks, ranks.getFirst(), 0));
                    table.add(inner.contextId(), WHOLE, new WindowPart(WindowMemory.of(0, all, MemoryWords.ofJvm(1))));
                } catch (final MpiFailure e) {
                    problem = e;
                }
            }
            exchange.agree(problem);
            final WindowPart whole = table.find(inner.contextId(), WHOLE);
            exchange.agree(whole == null ? new MpiFailure(ErrorClass.RMA_SHARED, "memory of rank 0 is not found: rank=" + inner.rank()) : null);
            return new HostMemory(Map.of(), data(ranks, ranks.getFirst(), whole == null ? MemorySegment.NULL : whole.memory().all(), 0));
        } finally {
            if (isLeader) {
                table.remove(inner.contextId(), WHOLE); // each rank has it, or never will
            }
        }
    }

    /** Returns the parts of mapped memory: the words of all ranks, then the memory of all. */
    private static HostMemory parts(final List<RankMemory> ranks, final RankMemory own, final MemorySegment mapped) {
        final Map<Integer, MemorySegment> words = new HashMap<>();
        final long each = MemoryWords.bytes(ranks.size());
        for (int r = 0; r < ranks.size(); r++) {
            if (isInGroup(ranks, r, own)) {
                words.put(r, mapped.asSlice(words.size() * each, each));
            }
        }
        return new HostMemory(words, data(ranks, own, mapped, wordSpace(ranks, own)));
    }

    /** Returns the memory of each rank of a group, one after the other. */
    private static Map<Integer, MemorySegment> data(final List<RankMemory> ranks, final RankMemory own, final MemorySegment all, final long begin) {
        final Map<Integer, MemorySegment> data = new HashMap<>();
        if (own.flavor() == Flavor.SHARED || own.flavor() == Flavor.ALLOCATED) {
            long at = begin;
            for (int r = 0; r < ranks.size(); r++) {
                if (isInGroup(ranks, r, own)) {
                    data.put(r, all.asSlice(at, ranks.get(r).bytes()));
                    at += space(ranks.get(r));
                }
            }
        }
        return data;
    }

    private static boolean isInGroup(final List<RankMemory> ranks, final int rank, final RankMemory own) {
        return ranks.get(rank).leader() == own.leader() && ranks.get(rank).isMapped() == own.isMapped();
    }

    /** Returns the space for the memory of a rank: parts of shared memory follow each other without gaps. */
    private static long space(final RankMemory of) {
        return switch (of.flavor()) {
            case SHARED -> of.bytes();
            case ALLOCATED -> Math.addExact(of.bytes(), LINE - 1) / LINE * LINE;
            case CREATED, DYNAMIC -> 0;
        };
    }

    private static long wordSpace(final List<RankMemory> ranks, final RankMemory own) {
        return MemoryWords.bytes(ranks.size()) * IntStream.range(0, ranks.size()).filter(r -> isInGroup(ranks, r, own)).count();
    }

    /** Returns the space for the memory of all ranks of a group, and for what is before it. */
    private static long space(final List<RankMemory> ranks, final RankMemory own, final long before) {
        long total = before;
        try {
            for (int r = 0; r < ranks.size(); r++) {
                total = isInGroup(ranks, r, own) ? Math.addExact(total, space(ranks.get(r))) : total;
            }
            return total;
        } catch (final ArithmeticException e) {
            throw new MpiFailure(ErrorClass.NO_MEM, "no memory for a window: bytes of all ranks exceed 63 bits", e);
        }
    }

    /** Creates a file of zeros whose memory is reserved: what is not would end the JVM when it is written. */
    private static MemorySegment create(final Path file, final long bytes, final boolean isRequired) {
        try (FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            final long usable = file.toFile().getUsableSpace();
            // who can do without leaves half of it to links and to windows of shared memory
            if (bytes > (isRequired ? usable : usable / 2)) {
                throw new IOException("No space left on device");
            }
            final ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(PIECE, bytes));
            for (long at = 0; at < bytes;) {
                at += channel.write(zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at)), at);
            }
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
        } catch (final IOException e) {
            // Cause: the shared memory of the host is full. Remedy: `mount -o remount,size=...` of /dev/shm, or ranks of one JVM.
            throw new MpiFailure(ErrorClass.NO_MEM, "no shared memory for a window: bytes=" + bytes + ", file=" + file + ", reason="
                + e.getMessage(), e);
        }
    }

    private static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            // Cause: the folder cannot be written any more. Remedy: delete the file by hand.
            throw new MpiFailure(ErrorClass.OTHER, "file of shared memory cannot be deleted: file=" + file + ", reason=" + e.getMessage(), e);
        }
    }
}
