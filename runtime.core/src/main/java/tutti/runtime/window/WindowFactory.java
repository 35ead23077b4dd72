package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import tutti.runtime.access.WindowPart;
import tutti.runtime.access.WindowTable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.context.CommContext;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.window.Window.Flavor;

/**
 * Creates windows, together with all ranks of a communicator: each tells the others the length of its memory and its unit of displacements, or why it
 * cannot create its part. A window is created on all ranks or on none; of one that is not created nothing is left.
 */
final class WindowFactory {
    /** Numbers that each rank tells of its memory: its length, the unit of displacements, the flavor, the class of an error. */
    private static final int TOLD = 4;
    private static final MemorySegment NO_DATA = MemorySegment.ofArray(new byte[0]);

    private WindowFactory() {}

    /** Creates a window of memory of the program. */
    static Window create(final Communicator comm, final Supplier<MemorySegment> memory, final long dispUnit) {
        return create(comm, Flavor.CREATED, () -> writable(memory.get()), 0, dispUnit);
    }

    /** Creates a window that allocates the memory. */
    static Window allocate(final Communicator comm, final long bytes, final long dispUnit) {
        return create(comm, Flavor.ALLOCATED, () -> WindowPart.allocate(checked(bytes)), 0, dispUnit);
    }

    /** Creates a window that allocates memory which all ranks access as their own. */
    static Window allocateShared(final Communicator comm, final long bytes, final long dispUnit) {
        return create(comm, Flavor.SHARED, () -> {
            checked(bytes);
            return NO_DATA;
        }, bytes, dispUnit);
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
     * @param memoryOf returns this rank's memory, but for a window with shared memory
     * @param sharedBytes length of this rank's part of shared memory
     */
    private static Window create(final Communicator comm, final Flavor flavor, final Supplier<MemorySegment> memoryOf, final long sharedBytes,
        final long unit) {
        comm.checkUsable();
        comm.context().checkIntra();
        MpiFailure problem = null;
        MemorySegment memory = NO_DATA;
        try {
            checkUnit(unit);
            memory = memoryOf.get();
        } catch (final MpiFailure e) {
            problem = e;
        }
        final int dispUnit = (int) unit;
        final long length = flavor == Flavor.SHARED ? sharedBytes : memory.byteSize();
        final Communicator inner = comm.dup();
        boolean isMade = false;
        final WindowTable table = comm.context().owner().job().windows();
        final int rank = comm.context().rank();
        try {
            final WindowPart part = flavor == Flavor.DYNAMIC ? WindowPart.dynamic(rank) : WindowPart.of(rank, memory);
            table.add(inner.contextId(), rank, part);
            final long[] told = new long[TOLD * comm.context().size()];
            final long[] here = {length, dispUnit, flavor.ordinal(), problem == null ? 0 : problem.errorClass().ordinal()};
            inner.engine().blocking().allgather(here, TOLD, Datatype.LONG, told, TOLD, Datatype.LONG);
            if (problem != null) {
                throw problem;
            }
            check(told, flavor);
            final List<MemorySegment> shared = flavor == Flavor.SHARED ? parts(SharedMemory.allocate(inner, total(told)), told) : List.of();
            WindowPart own = part;
            if (flavor == Flavor.SHARED) {
                own = WindowPart.of(rank, shared.get(rank));
                table.add(inner.contextId(), rank, own);
                inner.engine().blocking().barrier(); // all ranks have added theirs
            }
            final MemorySegment accessible = flavor == Flavor.DYNAMIC ? NO_DATA : own.slice(0, length);
            final WindowTarget[] targets = targets(inner, flavor, told);
            final Window made = new Window(inner, flavor, own, shared, accessible, targets, WindowKeys.exchange(inner, accessible, targets));
            isMade = true;
            return made;
        } finally {
            if (!isMade) {
                removePart(inner);
                inner.free();
            }
        }
    }

    /** Returns the targets of a window, whose parts are in the table where they are in this JVM. */
    private static WindowTarget[] targets(final Communicator inner, final Flavor flavor, final long[] told) {
        final CommContext context = inner.context();
        final WindowTable table = context.owner().job().windows();
        final WindowTarget[] targets = new WindowTarget[context.size()];
        for (int r = 0; r < targets.length; r++) {
            targets[r] = new WindowTarget(context.owner().lifecycle(), inner.contextId(), r, context.rank(),
                new WindowTarget.Memory(told[r * TOLD], (int) told[r * TOLD + 1], flavor == Flavor.DYNAMIC), table.find(inner.contextId(), r),
                context.target(r));
        }
        return targets;
    }

    /** Returns the parts of the ranks, which follow each other. */
    private static List<MemorySegment> parts(final MemorySegment whole, final long[] told) {
        final List<MemorySegment> parts = new ArrayList<>();
        long begin = 0;
        for (int i = 0; i < told.length; i += TOLD) {
            parts.add(whole.asSlice(begin, told[i]));
            begin += told[i];
        }
        return parts;
    }

    private static long total(final long[] told) {
        long total = 0;
        try {
            for (int i = 0; i < told.length; i += TOLD) {
                total = Math.addExact(total, told[i]);
            }
            return total;
        } catch (final ArithmeticException e) {
            throw new MpiFailure(ErrorClass.NO_MEM, "no memory for a window: bytes of all ranks exceed 63 bits", e);
        }
    }

    private static void checkUnit(final long unit) {
        if (unit <= 0 || unit > Integer.MAX_VALUE) {
            // Cause: displacements are counted in units of at least a byte. Remedy: the size of an element.
            throw new MpiFailure(ErrorClass.DISP, "unit of displacements out of range: unit=" + unit + ", range=1.." + Integer.MAX_VALUE);
        }
    }

    private static long checked(final long length) {
        if (length < 0) {
            // Cause: a window has from 0 bytes on. Remedy: a size of the memory.
            throw new MpiFailure(ErrorClass.SIZE, "size of window is negative: bytes=" + length);
        }
        return length;
    }

    private static MemorySegment writable(final MemorySegment memory) {
        if (memory.isReadOnly() && memory.byteSize() > 0) {
            // Cause: other ranks write to the memory of a window. Remedy: another buffer.
            throw new MpiFailure(ErrorClass.BUFFER, "memory of a window is read only: bytes=" + memory.byteSize());
        }
        return memory;
    }

    /** Refuses a window that a rank cannot create, or creates in another way. */
    private static void check(final long[] told, final Flavor flavor) {
        final ErrorClass[] classes = ErrorClass.values();
        for (int r = 0; r < told.length / TOLD; r++) {
            final int problem = (int) told[r * TOLD + 3];
            if (problem != 0) {
                throw MpiFailure.reportedByPeer("rank " + r + " cannot create its part of the window: " + classes[problem].text());
            }
            if (told[r * TOLD + 2] != flavor.ordinal()) {
                throw new MpiFailure(ErrorClass.ARG, "ranks create different windows: this one creates one of flavor " + flavor + ", rank " + r
                    + " one of flavor " + Flavor.values()[(int) told[r * TOLD + 2]]);
            }
        }
    }
}
