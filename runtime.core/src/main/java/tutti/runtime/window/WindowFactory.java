package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import tutti.runtime.access.MemoryWords;
import tutti.runtime.access.WindowMemory;
import tutti.runtime.access.WindowPart;
import tutti.runtime.comm.Communicator;
import tutti.runtime.context.CommContext;
import tutti.runtime.exchange.CallExchange;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.window.Window.Flavor;

/**
 * Creates windows, together with all ranks of a communicator: each tells the others the length of its memory and its unit of displacements, or why it
 * cannot create its part. A window is created on all ranks or on none; of one that is not created nothing is left.
 */
final class WindowFactory {
    private static final MemorySegment NO_DATA = MemorySegment.ofArray(new byte[0]);

    private WindowFactory() {}

    /** Creates a window of memory of the program. */
    static Window create(final Communicator comm, final Supplier<MemorySegment> memory, final long dispUnit) {
        return create(comm, Flavor.CREATED, () -> writable(memory.get()), 0, dispUnit);
    }

    /** Creates a window that allocates the memory. */
    static Window allocate(final Communicator comm, final long bytes, final long dispUnit) {
        return create(comm, Flavor.ALLOCATED, () -> NO_DATA, bytes, dispUnit);
    }

    /** Creates a window that allocates memory which all ranks access as their own. */
    static Window allocateShared(final Communicator comm, final long bytes, final long dispUnit) {
        return create(comm, Flavor.SHARED, () -> NO_DATA, bytes, dispUnit);
    }

    /** Creates a window without memory. */
    static Window dynamic(final Communicator comm) {
        return create(comm, Flavor.DYNAMIC, () -> NO_DATA, 0, 1);
    }

    /** Removes this rank's part, when no other rank accesses the window any more. */
    static void removePart(final Communicator inner) {
        inner.context().owner().job().windows().remove(inner.contextId(), inner.context().rank());
    }

    /**
     * Creates a window: tells the other ranks of this rank's memory, and creates it when all can.
     *
     * @param program   returns the program's memory
     * @param allocated length of the memory that the window allocates
     */
    private static Window create(final Communicator comm, final Flavor flavor, final Supplier<MemorySegment> program, final long allocated,
        final long unit) {
        comm.checkUsable();
        comm.context().checkIntra();
        MpiFailure problem = null;
        MemorySegment memory = NO_DATA;
        try {
            checkUnit(unit);
            checkSize(allocated);
            memory = program.get();
        } catch (final MpiFailure e) {
            problem = e;
        }
        final Communicator inner = comm.dup();
        final CallExchange exchange = new CallExchange(inner);
        boolean isMade = false;
        try {
            final RankMemory own = HostMemory.told(inner, flavor == Flavor.CREATED ? memory.byteSize() : allocated, (int) unit, flavor);
            final List<RankMemory> ranks = RankMemory.all(exchange.gather(problem, own.numbers()));
            checkSame(ranks, flavor);
            final HostMemory shared = HostMemory.create(exchange, ranks);
            if (flavor == Flavor.SHARED || flavor == Flavor.ALLOCATED) {
                memory = allocate(exchange, allocated, shared);
            }
            final WindowPart part = addPart(inner, flavor, memory, shared);
            final WindowKeys keys = WindowKeys.exchange(inner, memory, shared); // and all ranks have added their parts
            final Window made = new Window(inner, flavor, part, shared, targets(inner, ranks, shared, keys), keys);
            isMade = true;
            return made;
        } finally {
            if (!isMade) {
                removePart(inner);
                inner.free();
            }
        }
    }

    /** Returns this rank's part of the memory that is shared, or allocates memory where it has none; on all ranks or on none. */
    private static MemorySegment allocate(final CallExchange exchange, final long bytes, final HostMemory shared) {
        MemorySegment memory = shared.data(exchange.comm().rank());
        MpiFailure problem = null;
        if (memory == null) {
            try {
                memory = WindowMemory.allocate(bytes);
            } catch (final MpiFailure e) {
                memory = NO_DATA;
                problem = e;
            }
        }
        exchange.agree(problem);
        return memory;
    }

    /** Adds this rank's part to those of its JVM. */
    private static WindowPart addPart(final Communicator inner, final Flavor flavor, final MemorySegment memory, final HostMemory shared) {
        final int rank = inner.rank();
        final MemorySegment mapped = shared.words(rank);
        final MemoryWords words = mapped == null ? MemoryWords.ofJvm(inner.size()) : words(inner, mapped);
        final WindowPart part =
            new WindowPart(flavor == Flavor.DYNAMIC ? WindowMemory.dynamic(rank, words) : WindowMemory.of(rank, memory, words));
        inner.context().owner().job().windows().add(inner.contextId(), rank, part);
        return part;
    }

    private static MemoryWords words(final Communicator inner, final MemorySegment mapped) {
        return MemoryWords.ofHost(mapped, inner.size(), inner.context().owner().lifecycle()::isEnded);
    }

    /** Returns the targets of a window, whose parts are in the table where they are in this JVM. */
    private static WindowTarget[] targets(final Communicator inner, final List<RankMemory> ranks, final HostMemory shared, final WindowKeys keys) {
        final WindowTarget[] targets = new WindowTarget[ranks.size()];
        for (int r = 0; r < targets.length; r++) {
            final CommContext context = inner.context();
            targets[r] = new WindowTarget(context.owner().lifecycle(), inner.contextId(), r, context.rank(), ranks.get(r),
                reach(inner, r, shared, keys.key(r)));
        }
        return targets;
    }

    private static WindowTarget.Reach reach(final Communicator inner, final int rank, final HostMemory shared, final byte[] key) {
        final CommContext context = inner.context();
        final WindowPart part = context.owner().job().windows().find(inner.contextId(), rank);
        if (part != null) {
            return new WindowTarget.Reach(new LocalAccess(part.memory()), part.memory().words(), part.locks(), null);
        }
        final RemoteAccess remote =
            new RemoteAccess(context.owner().lifecycle(), inner.contextId(), rank, context.rank(), context.target(rank), key);
        final MemorySegment mapped = shared.words(rank);
        if (mapped == null) {
            return new WindowTarget.Reach(null, null, null, remote);
        }
        final MemoryWords words = words(inner, mapped);
        final MemorySegment data = shared.data(rank);
        return new WindowTarget.Reach(data == null ? null : new LocalAccess(WindowMemory.of(rank, data, words)), words, null, remote);
    }

    private static void checkUnit(final long unit) {
        if (unit <= 0 || unit > Integer.MAX_VALUE) {
            // Cause: displacements are counted in units of at least a byte. Remedy: the size of an element.
            throw new MpiFailure(ErrorClass.DISP, "unit of displacements out of range: unit=" + unit + ", range=1.." + Integer.MAX_VALUE);
        }
    }

    private static void checkSize(final long length) {
        if (length < 0) {
            // Cause: a window has from 0 bytes on. Remedy: a size of the memory.
            throw new MpiFailure(ErrorClass.SIZE, "size of window is negative: bytes=" + length);
        }
    }

    private static MemorySegment writable(final MemorySegment memory) {
        if (memory.isReadOnly() && memory.byteSize() > 0) {
            // Cause: other ranks write to the memory of a window. Remedy: another buffer.
            throw new MpiFailure(ErrorClass.BUFFER, "memory of a window is read only: bytes=" + memory.byteSize());
        }
        return memory;
    }

    /** Refuses a window that ranks create in different ways. */
    private static void checkSame(final List<RankMemory> ranks, final Flavor flavor) {
        for (int r = 0; r < ranks.size(); r++) {
            if (ranks.get(r).flavor() != flavor) {
                // Cause: the ranks call different constructors. Remedy: the same one on all ranks.
                throw new MpiFailure(ErrorClass.ARG, "ranks create different windows: this one creates one of flavor " + flavor + ", rank " + r
                    + " one of flavor " + ranks.get(r).flavor());
            }
        }
    }
}
