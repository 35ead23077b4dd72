package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.AccessRequest;
import tutti.runtime.access.WindowPart;
import tutti.runtime.access.WindowTable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.match.Mailbox;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;
import tutti.runtime.window.WindowTarget.Elements;

/**
 * A window, as one of its ranks holds it: memory of each rank of a communicator that the others read, write and combine, while the rank takes no
 * part.
 *
 * <p>Accesses are made in epochs: between two fences, in a group of ranks that let each other, or while this rank has locks. In one JVM an access is
 * made at once; on another node the thread that reads its links makes it. The memory is that of the unified model: what is written is there for
 * all.
 *
 * <p>Every call checks its arguments first and throws {@link MpiFailure} with the error class that MPI defines. Threads may call as the rank's thread
 * level allows; one thread at a time may begin and end epochs.
 */
public final class Window {
    /** Assertion: no lock that conflicts is held. */
    public static final int NOCHECK = 1;
    /** Assertion: no access precedes this fence. */
    public static final int NOPRECEDE = 2;
    /** Assertion: no access of others changes the memory. */
    public static final int NOPUT = 4;
    /** Assertion: this rank has not changed its memory. */
    public static final int NOSTORE = 8;
    /** Assertion: no access follows this fence. */
    public static final int NOSUCCEED = 16;
    private static final int POSTED = 1;
    private static final int COMPLETE = 2;
    private static final MemorySegment NO_DATA = MemorySegment.ofArray(new byte[0]);

    /** How the memory of a window came to be. */
    public enum Flavor {
        /** Memory of the program. */
        CREATED,
        /** Memory that the window allocated. */
        ALLOCATED,
        /** Memory that the program attaches and detaches. */
        DYNAMIC,
        /** Memory that the window allocated, which all its ranks access as their own. */
        SHARED
    }

    /** The accesses that a rank may make. */
    private enum Epoch {
        NONE("none"), FENCE("fence"), GROUP("start"), LOCKS("lock"), LOCK_ALL("lockAll");

        private final String text;

        Epoch(final String text) {
            this.text = text;
        }
    }

    private final Communicator inner;
    private final Flavor flavor;
    private final WindowPart own;
    private final MemorySegment memory;
    private final int dispUnit;
    private final WindowTarget[] targets;
    private final long[] bytes;
    private final int[] dispUnits;
    private final PointToPoint signals;
    private Epoch epoch = Epoch.NONE;
    /** Ranks that this rank has locked, or to which it has access as a group. */
    private final BitSet open = new BitSet();
    /** What the ranks say that this rank lets access its memory; empty when it lets none. */
    private List<Request> exposed = List.of();
    private boolean isExposed;
    private volatile boolean isFreed;
    private WindowKeys keys = WindowKeys.NONE;

    private Window(final Communicator inner, final Flavor flavor, final MemorySegment memory, final int dispUnit, final WindowPart own,
        final long[] said) {
        final CommContext context = inner.context();
        final WindowTable table = context.owner().job().windows();
        this.inner = inner;
        this.flavor = flavor;
        this.memory = memory;
        this.dispUnit = dispUnit;
        this.own = own;
        this.signals = PointToPoint.internal(context, ContextIds.WINDOWS);
        this.targets = new WindowTarget[context.size()];
        this.bytes = new long[targets.length];
        this.dispUnits = new int[targets.length];
        for (int r = 0; r < targets.length; r++) {
            bytes[r] = said[r * SAID];
            dispUnits[r] = (int) said[r * SAID + 1];
            targets[r] = new WindowTarget(context.owner().lifecycle(), inner.contextId(), r, context.rank(),
                new WindowTarget.Memory(bytes[r], dispUnits[r], flavor == Flavor.DYNAMIC), table.find(inner.contextId(), r), context.target(r));
        }
    }

    /** Number of the memory of all ranks together, among those of the ranks, while a window with shared memory is created. */
    private static final int WHOLE = -1;
    /** Numbers that each rank says of its memory: its length, the unit of displacements, the flavor, the class of an error. */
    private static final int SAID = 4;

    /**
     * Creates a window of memory of the program, together with all ranks of the communicator.
     *
     * @param memory   returns this rank's memory; if it throws, no rank creates the window
     * @param dispUnit unit of displacements in this memory, in bytes
     */
    public static Window create(final Communicator comm, final Supplier<MemorySegment> memory, final long dispUnit) {
        return make(comm, Flavor.CREATED, () -> writable(memory.get()), 0, dispUnit);
    }

    /** Creates a window, which allocates the memory, together with all ranks of the communicator. */
    public static Window allocate(final Communicator comm, final long bytes, final long dispUnit) {
        return make(comm, Flavor.ALLOCATED, () -> WindowPart.allocate(checked(bytes)), 0, dispUnit);
    }

    /**
     * Creates a window, which allocates memory that all ranks access as their own, together with all ranks of the communicator. The parts of the
     * ranks follow each other.
     */
    public static Window allocateShared(final Communicator comm, final long bytes, final long dispUnit) {
        return make(comm, Flavor.SHARED, () -> {
            checked(bytes);
            return NO_DATA;
        }, bytes, dispUnit);
    }

    /** Creates a window without memory, which ranks attach and detach; displacements are addresses. */
    public static Window dynamic(final Communicator comm) {
        return make(comm, Flavor.DYNAMIC, () -> NO_DATA, 0, 1);
    }

    /**
     * Creates a window.
     *
     * @param own    returns this rank's memory, but for a window with shared memory
     * @param shared length of this rank's part of shared memory
     */
    private static Window make(final Communicator comm, final Flavor flavor, final Supplier<MemorySegment> own, final long shared, final long unit) {
        comm.checkUsable();
        comm.context().checkIntra();
        MpiFailure problem = null;
        MemorySegment memory = NO_DATA;
        try {
            checkUnit(unit);
            memory = own.get();
        } catch (final MpiFailure e) {
            problem = e;
        }
        final int dispUnit = (int) unit;
        final long length = flavor == Flavor.SHARED ? shared : memory.byteSize();
        final Communicator inner = comm.dup();
        boolean isMade = false;
        final WindowTable table = comm.context().owner().job().windows();
        final int rank = comm.context().rank();
        try {
            final WindowPart part = flavor == Flavor.DYNAMIC ? WindowPart.dynamic(rank) : WindowPart.of(rank, memory);
            table.add(inner.contextId(), rank, part);
            final long[] said = new long[SAID * comm.context().size()];
            final long[] here = {length, dispUnit, flavor.ordinal(), problem == null ? 0 : problem.errorClass().ordinal()};
            inner.engine().blocking().allgather(here, SAID, Datatype.LONG, said, SAID, Datatype.LONG);
            if (problem != null) {
                throw problem;
            }
            check(said, flavor);
            final Window made = flavor == Flavor.SHARED ? share(inner, table, length, dispUnit, said)
                : new Window(inner, flavor, memory, dispUnit, part, said);
            made.keys = WindowKeys.exchange(inner, flavor == Flavor.DYNAMIC ? NO_DATA : made.memory, made.targets);
            isMade = true;
            return made;
        } finally {
            if (!isMade) {
                table.remove(inner.contextId(), rank);
                inner.free();
            }
        }
    }

    /** Creates the window of memory that its first rank allocates, one part after the other. */
    private static Window share(final Communicator inner, final WindowTable table, final long length, final int dispUnit, final long[] said) {
        final CommContext context = inner.context();
        for (int r = 0; r < context.size(); r++) {
            if (!(context.target(r) instanceof Mailbox)) {
                // Cause: the ranks are in several JVMs. Remedy: a communicator of `splitType`, with hint `mpi_hw_resource_type` `jvm`.
                throw new MpiFailure(ErrorClass.RMA_SHARED, "ranks in several JVMs cannot share memory: rank " + r + " is in another one than rank "
                    + context.rank());
            }
        }
        final long total = total(said);
        long begin = 0;
        for (int r = 0; r < context.rank(); r++) {
            begin += said[r * SAID];
        }
        try {
            final long[] failed = {0};
            if (context.rank() == 0) {
                try {
                    table.add(inner.contextId(), WHOLE, WindowPart.of(0, WindowPart.allocate(total)));
                } catch (final MpiFailure e) {
                    failed[0] = e.errorClass().ordinal();
                }
            }
            inner.engine().blocking().bcast(failed, 1, Datatype.LONG, 0);
            if (failed[0] != 0) {
                throw new MpiFailure(ErrorClass.values()[(int) failed[0]], "no memory for a window: bytes=" + total);
            }
            final WindowPart whole = table.find(inner.contextId(), WHOLE);
            if (whole == null) {
                throw MpiFailure.reportedByPeer("rank 0 cannot create its part of the window");
            }
            final MemorySegment memory = whole.slice(begin, length);
            final WindowPart part = WindowPart.of(context.rank(), memory);
            table.add(inner.contextId(), context.rank(), part);
            inner.engine().blocking().barrier();
            return new Window(inner, Flavor.SHARED, memory, dispUnit, part, said);
        } finally {
            if (context.rank() == 0) {
                table.remove(inner.contextId(), WHOLE); // each rank has its part of it, or never will
            }
        }
    }

    private static long total(final long[] said) {
        long total = 0;
        try {
            for (int i = 0; i < said.length; i += SAID) {
                total = Math.addExact(total, said[i]);
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
    private static void check(final long[] said, final Flavor flavor) {
        final ErrorClass[] classes = ErrorClass.values();
        for (int r = 0; r < said.length / SAID; r++) {
            final int problem = (int) said[r * SAID + 3];
            if (problem != 0) {
                throw MpiFailure.reportedByPeer("rank " + r + " cannot create its part of the window: " + classes[problem].text());
            }
            if (said[r * SAID + 2] != flavor.ordinal()) {
                throw new MpiFailure(ErrorClass.ARG, "ranks create different windows: this one creates one of flavor " + flavor + ", rank " + r
                    + " one of flavor " + Flavor.values()[(int) said[r * SAID + 2]]);
            }
        }
    }

    /** Returns the communicator of the window's own messages, with the same ranks. */
    public Communicator communicator() {
        return inner;
    }

    /** Returns how its memory came to be. */
    public Flavor flavor() {
        return flavor;
    }

    /** Returns this rank's memory. */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * Returns the memory of a rank of a window with shared memory; that of the first rank with memory for {@link Reserved#PROC_NULL}.
     *
     * @throws MpiFailure of class RMA_FLAVOR when the window has no shared memory
     */
    public MemorySegment shared(final int rank) {
        checkUsable();
        if (flavor != Flavor.SHARED) {
            // Cause: the memory of the window is that of each rank alone. Remedy: a window with shared memory.
            throw new MpiFailure(ErrorClass.RMA_FLAVOR, "window has no shared memory: flavor=" + flavor);
        }
        int of = rank;
        if (rank == Reserved.PROC_NULL) {
            of = 0;
            while (of < targets.length - 1 && bytes[of] == 0) {
                of++;
            }
        }
        checkRank(of);
        final WindowTable table = inner.context().owner().job().windows();
        return Objects.requireNonNull(table.find(inner.contextId(), of), "part of a shared window").slice(0, bytes[of]);
    }

    /** Returns the unit of displacements in the memory of a rank, in bytes. */
    public int dispUnit(final int rank) {
        checkUsable();
        checkRank(rank);
        return dispUnits[rank];
    }

    /** Returns the unit of displacements in this rank's memory, in bytes. */
    public int dispUnit() {
        return dispUnit;
    }

    /** Returns whether the window was freed. */
    public boolean isFreed() {
        return isFreed;
    }

    /** Refuses a call that cannot be served at this time. */
    public void checkUsable() {
        inner.context().owner().checkUsable();
        if (isFreed) {
            throw new MpiFailure(ErrorClass.WIN, "window has been freed");
        }
    }

    /** Frees the window, together with all its ranks. No epoch may be open, but that of a fence. */
    public void free() {
        checkUsable();
        if (epoch != Epoch.NONE && epoch != Epoch.FENCE || isExposed) {
            throw wrongEpoch("free");
        }
        final FirstFailure failure = flushEach(all());
        failure.of(() -> inner.engine().blocking().barrier());
        isFreed = true;
        keys.close();
        inner.context().owner().job().windows().remove(inner.contextId(), inner.context().rank());
        inner.free();
        failure.raise();
    }

    /** Returns the error of a call that the open epochs do not allow. */
    private MpiFailure wrongEpoch(final String call) {
        // Cause: epochs do not overlap, and what ends one needs one. Remedy: the calls of the [table](windows.md#epochs).
        return new MpiFailure(ErrorClass.RMA_SYNC, "call does not fit to the epoch: call=" + call + ", epoch=" + epoch.text + ", posted="
            + isExposed);
    }

    /** Returns the target of an access; null for no process. */
    private @Nullable WindowTarget target(final int rank) {
        checkUsable();
        if (rank == Reserved.PROC_NULL) {
            return null;
        }
        checkRank(rank);
        final boolean isOpen = switch (epoch) {
            case NONE -> false;
            case FENCE, LOCK_ALL -> true;
            case GROUP, LOCKS -> open.get(rank);
        };
        if (!isOpen) {
            // Cause: accesses are made in epochs. Remedy: `fence`, `start` or `lock` before.
            throw new MpiFailure(ErrorClass.RMA_SYNC, "target cannot be accessed in this epoch: target=" + rank + ", epoch=" + epoch.text);
        }
        return targets[rank];
    }

    private void checkRank(final int rank) {
        if (rank < 0 || rank >= targets.length) {
            throw new MpiFailure(ErrorClass.RANK, "rank out of range: rank=" + rank + ", size=" + targets.length);
        }
    }

    private MessageBuffer read(final @Nullable Object buffer, final long count, final Datatype type) {
        return inner.context().buffers().of(buffer, count, type);
    }

    private MessageBuffer written(final @Nullable Object buffer, final long count, final Datatype type) {
        return inner.context().buffers().into(buffer, count, type);
    }

    private AccessRequest noProcess() {
        final AccessRequest done = new AccessRequest(inner.context().owner().lifecycle(), inner.contextId(), Reserved.PROC_NULL,
            PendingWait.Kind.WINDOW);
        done.complete(null);
        return done;
    }

    /** Writes elements to the memory of a rank; the buffer may be used when the request is complete. */
    public Request put(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType) {
        final WindowTarget to = target(target);
        final MessageBuffer data = read(origin, count, type);
        return to == null ? noProcess() : to.put(data, new Elements(disp, targetCount, targetType));
    }

    /** Reads elements of the memory of a rank; they are there when the request is complete. */
    public Request get(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType) {
        final WindowTarget from = target(target);
        final MessageBuffer result = written(origin, count, type);
        return from == null ? noProcess() : from.get(result, new Elements(disp, targetCount, targetType));
    }

    /** Combines elements with those in the memory of a rank, each atomically; the buffer may be used when the request is complete. */
    public Request accumulate(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType, final Op op) {
        final WindowTarget to = target(target);
        checkOp(op);
        final MessageBuffer data = op == Op.NO_OP ? null : read(origin, count, type);
        return to == null ? noProcess() : to.accumulate(data, null, new Elements(disp, targetCount, targetType), op);
    }

    /** Combines elements as {@link #accumulate} does, and reads what was there before, in one atomic step for each element. */
    public Request getAccumulate(final @Nullable Object origin, final long count, final Datatype type, final @Nullable Object result,
        final long resultCount, final Datatype resultType, final int target, final long disp, final long targetCount, final Datatype targetType,
        final Op op) {
        final WindowTarget to = target(target);
        checkOp(op);
        final MessageBuffer data = op == Op.NO_OP ? null : read(origin, count, type);
        final MessageBuffer before = written(result, resultCount, resultType);
        return to == null ? noProcess() : to.accumulate(data, before, new Elements(disp, targetCount, targetType), op);
    }

    private static void checkOp(final @Nullable Op op) {
        if (op == null) {
            throw new MpiFailure(ErrorClass.OP, "operation is null");
        }
    }

    /** Combines one element of a predefined type as {@link #getAccumulate} does. */
    public Request fetchAndOp(final @Nullable Object origin, final @Nullable Object result, final Datatype type, final int target, final long disp,
        final Op op) {
        checkBasic(type);
        return getAccumulate(origin, 1, type, result, 1, type, target, disp, 1, type, op);
    }

    /** Replaces an element of a predefined type if it is equal to another one; what was there before goes to the result, in one atomic step. */
    public Request compareAndSwap(final @Nullable Object origin, final @Nullable Object compare, final @Nullable Object result, final Datatype type,
        final int target, final long disp) {
        final WindowTarget to = target(target);
        checkBasic(type);
        final ElementKind kind = type.elementKind();
        if (kind == ElementKind.FLOAT || kind == ElementKind.DOUBLE || kind.ordinal() > ElementKind.DOUBLE.ordinal()) {
            // Cause: the standard compares integers, booleans and bytes. Remedy: the bits of a float as an int.
            throw new MpiFailure(ErrorClass.TYPE, "elements cannot be compared: type=" + type.name());
        }
        final MessageBuffer next = read(origin, 1, type);
        final MessageBuffer other = read(compare, 1, type);
        final MessageBuffer before = written(result, 1, type);
        final MemorySegment both = MemorySegment.ofArray(new byte[2 * (int) type.size()]);
        MemorySegment.copy(other.memory(), 0, both, 0, type.size());
        MemorySegment.copy(next.memory(), 0, both, type.size(), type.size());
        return to == null ? noProcess() : to.swap(both, before, new Elements(disp, 1, type));
    }

    private static void checkBasic(final Datatype type) {
        Datatype.checkType(type);
        if (type.elementKind() == ElementKind.NONE) {
            // Cause: one element is accessed atomically. Remedy: a predefined datatype.
            throw new MpiFailure(ErrorClass.TYPE, "datatype is not predefined: type=" + type.name());
        }
    }

    private static void checkAssertion(final int assertion, final int allowed) {
        if ((assertion & ~allowed) != 0) {
            // Cause: the call has other assertions. Remedy: 0, or a sum of those of the call.
            throw new MpiFailure(ErrorClass.ASSERT, "assertion out of range: assertion=" + assertion + ", allowed bits=" + allowed);
        }
    }

    /** Ends an epoch and begins the next one, together with all ranks: the accesses of all have taken effect. */
    public void fence(final int assertion) {
        checkUsable();
        checkAssertion(assertion, NOSTORE | NOPUT | NOPRECEDE | NOSUCCEED);
        if (epoch != Epoch.NONE && epoch != Epoch.FENCE || isExposed) {
            throw wrongEpoch("fence");
        }
        final FirstFailure failure = flushEach(all());
        failure.of(() -> inner.engine().blocking().barrier());
        epoch = (assertion & NOSUCCEED) != 0 ? Epoch.NONE : Epoch.FENCE;
        failure.raise();
    }

    private BitSet all() {
        final BitSet ranks = new BitSet();
        ranks.set(0, targets.length);
        return ranks;
    }

    /** Completes the accesses to some ranks, those to all of them whatever has failed; their answers are awaited together. */
    private FirstFailure flushEach(final BitSet ranks) {
        final FirstFailure failure = new FirstFailure();
        ranks.stream().forEach(r -> failure.of(targets[r]::flushLocal));
        final List<Request> started = new ArrayList<>();
        ranks.stream().forEach(r -> {
            final AccessRequest flush = targets[r].startFlush();
            if (flush != null) {
                started.add(flush);
            }
        });
        started.forEach(failure::await);
        return failure;
    }

    private int[] ranks(final Group group) {
        final int[] ranks = new int[group.size()];
        final Group members = inner.context().group();
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = members.rankOf(group.worldRank(i));
            if (ranks[i] == Group.UNDEFINED) {
                // Cause: the group is not a part of the window's group. Remedy: a group of `getGroup`.
                throw new MpiFailure(ErrorClass.GROUP, "group has a rank that is not in the window: index=" + i);
            }
        }
        return ranks;
    }

    /** Begins to access the memory of some ranks; waits until each has let this rank. */
    public void start(final Group group, final int assertion) {
        checkUsable();
        checkAssertion(assertion, NOCHECK);
        if (epoch != Epoch.NONE && epoch != Epoch.FENCE) {
            throw wrongEpoch("start");
        }
        final int[] ranks = ranks(group);
        for (final int r : ranks) {
            signals.recv(NO_BYTES, 0, Datatype.BYTE, r, POSTED);
        }
        open.clear();
        for (final int r : ranks) {
            open.set(r);
        }
        epoch = Epoch.GROUP;
    }

    /** Ends the accesses that {@link #start} began: they have taken effect. */
    public void complete() {
        checkUsable();
        if (epoch != Epoch.GROUP) {
            throw wrongEpoch("complete");
        }
        final FirstFailure failure = flushEach(open);
        open.stream().forEach(r -> failure.of(() -> signals.isend(SendMode.STANDARD, NO_BYTES, 0, Datatype.BYTE, r, COMPLETE).free()));
        open.clear();
        epoch = Epoch.NONE;
        failure.raise();
    }

    private static final byte[] NO_BYTES = {};

    /** Lets some ranks access this rank's memory; does not wait. */
    public void post(final Group group, final int assertion) {
        checkUsable();
        checkAssertion(assertion, NOCHECK | NOSTORE | NOPUT);
        if (isExposed) {
            throw wrongEpoch("post");
        }
        final int[] ranks = ranks(group);
        final List<Request> completes = new ArrayList<>();
        for (final int r : ranks) {
            completes.add(signals.irecv(NO_BYTES, 0, Datatype.BYTE, r, COMPLETE));
            signals.isend(SendMode.STANDARD, NO_BYTES, 0, Datatype.BYTE, r, POSTED).free();
        }
        exposed = completes;
        isExposed = true;
    }

    /** Waits until the ranks that this rank let access its memory have completed their accesses. */
    public void await() {
        checkExposed();
        final FirstFailure failure = new FirstFailure();
        exposed.forEach(failure::await);
        isExposed = false;
        exposed = List.of();
        failure.raise();
    }

    /** Returns whether these ranks have completed their accesses; if so, they may not access the memory any more. */
    public boolean test() {
        checkExposed();
        for (final Request r : exposed) {
            if (!r.test()) {
                return false;
            }
        }
        isExposed = false;
        exposed = List.of();
        return true;
    }

    private void checkExposed() {
        checkUsable();
        if (!isExposed) {
            // Cause: the rank has not let others access its memory. Remedy: `post` before.
            throw new MpiFailure(ErrorClass.RMA_SYNC, "no exposure epoch is open");
        }
    }

    /** Begins to access the memory of a rank, alone or together with others that lock it so. */
    public void lock(final boolean isExclusive, final int rank, final int assertion) {
        checkUsable();
        checkAssertion(assertion, NOCHECK);
        if (epoch != Epoch.NONE && epoch != Epoch.FENCE && epoch != Epoch.LOCKS) {
            throw wrongEpoch("lock");
        }
        if (rank != Reserved.PROC_NULL) {
            checkRank(rank);
            if (epoch == Epoch.LOCKS && open.get(rank)) {
                // Cause: the rank has the lock. Remedy: `unlock` before.
                throw new MpiFailure(ErrorClass.RMA_SYNC, "target is locked already: target=" + rank);
            }
            targets[rank].lock(isExclusive);
            if (epoch != Epoch.LOCKS) {
                open.clear();
            }
            open.set(rank);
            epoch = Epoch.LOCKS;
        }
    }

    /** Ends the accesses to the memory of a rank: they have taken effect. */
    public void unlock(final int rank) {
        checkUsable();
        if (rank == Reserved.PROC_NULL) {
            return;
        }
        checkRank(rank);
        if (epoch != Epoch.LOCKS || !open.get(rank)) {
            throw new MpiFailure(ErrorClass.RMA_SYNC, "target is not locked: target=" + rank);
        }
        final BitSet one = new BitSet();
        one.set(rank);
        final FirstFailure failure = unlockEach(one);
        open.clear(rank);
        if (open.isEmpty()) {
            epoch = Epoch.NONE;
        }
        failure.raise();
    }

    /** Begins to access the memory of all ranks, together with others. */
    public void lockAll(final int assertion) {
        checkUsable();
        checkAssertion(assertion, NOCHECK);
        if (epoch != Epoch.NONE && epoch != Epoch.FENCE) {
            throw wrongEpoch("lockAll");
        }
        final List<AccessRequest> started = new ArrayList<>();
        for (final WindowTarget t : targets) {
            started.add(t.startLock(false));
        }
        final FirstFailure failure = new FirstFailure();
        started.forEach(failure::await);
        if (failure.hasFailed()) {
            final BitSet locked = all();
            locked.stream().filter(r -> started.get(r).hasFailed()).forEach(locked::clear);
            unlockEach(locked);
            failure.raise();
        }
        epoch = Epoch.LOCK_ALL;
    }

    /** Ends the accesses that {@link #lockAll} began: they have taken effect. */
    public void unlockAll() {
        checkUsable();
        if (epoch != Epoch.LOCK_ALL) {
            throw wrongEpoch("unlockAll");
        }
        final FirstFailure failure = unlockEach(all());
        epoch = Epoch.NONE;
        failure.raise();
    }

    /** Completes the accesses to some ranks and ends the locks of all of them, whatever has failed: others wait for these. */
    private FirstFailure unlockEach(final BitSet ranks) {
        final FirstFailure failure = new FirstFailure();
        ranks.stream().forEach(r -> failure.of(targets[r]::flushLocal));
        final List<Request> started = new ArrayList<>();
        ranks.stream().forEach(r -> {
            final AccessRequest unlock = targets[r].startUnlock();
            if (unlock != null) {
                started.add(unlock);
            }
        });
        started.forEach(failure::await);
        return failure;
    }

    private void checkPassive(final String call) {
        checkUsable();
        if (epoch != Epoch.LOCKS && epoch != Epoch.LOCK_ALL) {
            throw wrongEpoch(call);
        }
    }

    private void checkLocked(final String call, final int rank) {
        checkPassive(call);
        checkRank(rank);
        if (epoch == Epoch.LOCKS && !open.get(rank)) {
            throw new MpiFailure(ErrorClass.RMA_SYNC, "target is not locked: target=" + rank);
        }
    }

    /** Completes the accesses to a rank that this one has locked: they have taken effect. */
    public void flush(final int rank) {
        checkLocked("flush", rank);
        targets[rank].flush();
    }

    /** Completes the accesses to all ranks that this one has locked. */
    public void flushAll() {
        checkPassive("flushAll");
        flushEach(all()).raise();
    }

    /** Waits until the buffers of the accesses to a rank may be used. */
    public void flushLocal(final int rank) {
        checkLocked("flushLocal", rank);
        targets[rank].flushLocal();
    }

    /** Waits until the buffers of all accesses may be used. */
    public void flushLocalAll() {
        checkPassive("flushLocalAll");
        final FirstFailure failure = new FirstFailure();
        for (final WindowTarget t : targets) {
            failure.of(t::flushLocal);
        }
        failure.raise();
    }

    /** Makes what other ranks wrote to this rank's memory there for its reads, and what it wrote there for others. */
    public void sync() {
        checkPassive("sync");
        VarHandle.fullFence();
    }

    /** Attaches native memory to a dynamic window. */
    public void attach(final MemorySegment more) {
        checkDynamic();
        if (!more.isNative()) {
            // Cause: the garbage collector moves arrays. Remedy: a direct buffer.
            throw new MpiFailure(ErrorClass.RMA_ATTACH, "memory of an array cannot be attached: use a direct buffer");
        }
        own.attach(more);
    }

    /** Detaches memory from a dynamic window. */
    public void detach(final MemorySegment less) {
        checkDynamic();
        own.detach(less);
    }

    private void checkDynamic() {
        checkUsable();
        if (flavor != Flavor.DYNAMIC) {
            // Cause: the memory of the window is fixed. Remedy: a window that was created without memory.
            throw new MpiFailure(ErrorClass.RMA_FLAVOR, "window is not dynamic: flavor=" + flavor);
        }
    }
}
