package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.AccessRequest;
import tutti.runtime.access.WindowPart;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.WindowState;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.Request;

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

    private final Communicator inner;
    private final Flavor flavor;
    private final WindowPart own;
    private final HostMemory shared;
    private final WindowTarget[] targets;
    private final WindowKeys keys;
    private final WindowEpochs epochs;
    /** The request of every access to no process. */
    private final Request noProcess;
    private volatile boolean isFreed;

    /**
     * Creates a window of a rank.
     *
     * @param own    this rank's part
     * @param shared what it has in common with other ranks
     */
    Window(final Communicator inner, final Flavor flavor, final WindowPart own, final HostMemory shared, final WindowTarget[] targets,
        final WindowKeys keys) {
        this.inner = inner;
        this.flavor = flavor;
        this.own = own;
        this.shared = shared;
        this.targets = targets;
        this.keys = keys;
        this.epochs = new WindowEpochs(inner, targets);
        own.setEpoch(epochs::text);
        this.noProcess = AccessRequest.completed(inner.context().owner().lifecycle(), inner.contextId(), Reserved.PROC_NULL);
    }

    /**
     * Creates a window of memory of the program, together with all ranks of the communicator.
     *
     * @param memory   returns this rank's memory; if it throws, no rank creates the window
     * @param dispUnit unit of displacements in this memory, in bytes
     */
    public static Window create(final Communicator comm, final Supplier<MemorySegment> memory, final long dispUnit) {
        return WindowFactory.create(comm, memory, dispUnit);
    }

    /** Creates a window, which allocates the memory, together with all ranks of the communicator. */
    public static Window allocate(final Communicator comm, final long bytes, final long dispUnit) {
        return WindowFactory.allocate(comm, bytes, dispUnit);
    }

    /**
     * Creates a window, which allocates memory that all ranks access as their own, together with all ranks of the communicator. The parts of the
     * ranks follow each other.
     */
    public static Window allocateShared(final Communicator comm, final long bytes, final long dispUnit) {
        return WindowFactory.allocateShared(comm, bytes, dispUnit);
    }

    /** Creates a window without memory, which ranks attach and detach; displacements are addresses. */
    public static Window dynamic(final Communicator comm) {
        return WindowFactory.dynamic(comm);
    }

    /** Returns the communicator of the window's own messages, with the same ranks. */
    public Communicator communicator() {
        return inner;
    }

    /** Names a window of the runtime itself, whose epochs are not shown to users. */
    public void hideEpochs(final String name) {
        inner.setName(name);
        own.setEpoch(() -> WindowState.NO_EPOCH);
    }

    /** Returns how its memory came to be. */
    public Flavor flavor() {
        return flavor;
    }

    /** Returns this rank's memory. */
    public MemorySegment memory() {
        return own.memory().all();
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
            while (of < targets.length - 1 && targets[of].memory().bytes() == 0) {
                of++;
            }
        }
        epochs.checkRank(of);
        return Objects.requireNonNull(shared.data(of), "shared memory has a part of each rank");
    }

    /** Returns the unit of displacements in the memory of a rank, in bytes. */
    public int dispUnit(final int rank) {
        checkUsable();
        epochs.checkRank(rank);
        return targets[rank].memory().dispUnit();
    }

    /** Returns the unit of displacements in this rank's memory, in bytes. */
    public int dispUnit() {
        return targets[inner.context().rank()].memory().dispUnit();
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
        final FirstFailure failure = epochs.close();
        isFreed = true;
        keys.close();
        WindowFactory.removePart(inner);
        inner.free();
        failure.raise();
    }

    /** Returns the target of an access; null for no process. */
    private @Nullable WindowTarget target(final int rank) {
        checkUsable();
        return rank == Reserved.PROC_NULL ? null : epochs.target(rank);
    }

    private MessageBuffer read(final @Nullable Object buffer, final long count, final Datatype type) {
        return inner.context().buffers().of(buffer, count, type);
    }

    private MessageBuffer written(final @Nullable Object buffer, final long count, final Datatype type) {
        return inner.context().buffers().into(buffer, count, type);
    }

    /** Writes elements to the memory of a rank; the buffer may be used when the epoch has ended, or the next flush. */
    public void put(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType) {
        put(origin, count, type, target, disp, targetCount, targetType, true);
    }

    /** Writes elements as {@link #put} does; the buffer may be used when the request is complete. */
    public Request rput(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType) {
        return put(origin, count, type, target, disp, targetCount, targetType, false);
    }

    private Request put(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType, final boolean isJoinable) {
        final WindowTarget to = target(target);
        final MessageBuffer data = read(origin, count, type);
        return to == null ? noProcess : to.put(data, disp, targetCount, targetType, isJoinable);
    }

    /** Reads elements of the memory of a rank; they are there when the epoch has ended, or the next flush. */
    public void get(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType) {
        get(origin, count, type, target, disp, targetCount, targetType, true);
    }

    /** Reads elements as {@link #get} does; they are there when the request is complete. */
    public Request rget(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType) {
        return get(origin, count, type, target, disp, targetCount, targetType, false);
    }

    private Request get(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType, final boolean isJoinable) {
        final WindowTarget from = target(target);
        final MessageBuffer result = written(origin, count, type);
        return from == null ? noProcess : from.get(result, disp, targetCount, targetType, isJoinable);
    }

    /** Combines elements with those in the memory of a rank, each atomically; the buffer may be used when the epoch has ended, or the next flush. */
    public void accumulate(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType, final Op op) {
        accumulate(origin, count, type, target, disp, targetCount, targetType, op, true);
    }

    /** Combines elements as {@link #accumulate} does; the buffer may be used when the request is complete. */
    public Request raccumulate(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType, final Op op) {
        return accumulate(origin, count, type, target, disp, targetCount, targetType, op, false);
    }

    private Request accumulate(final @Nullable Object origin, final long count, final Datatype type, final int target, final long disp,
        final long targetCount, final Datatype targetType, final Op op, final boolean isJoinable) {
        final WindowTarget to = target(target);
        checkOp(op);
        final MessageBuffer data = op == Op.NO_OP ? null : read(origin, count, type);
        return to == null ? noProcess : to.accumulate(data, null, disp, targetCount, targetType, op, isJoinable);
    }

    /** Combines elements as {@link #accumulate} does, and reads what was there before, in one atomic step for each element. */
    public Request getAccumulate(final @Nullable Object origin, final long count, final Datatype type, final @Nullable Object result,
        final long resultCount, final Datatype resultType, final int target, final long disp, final long targetCount, final Datatype targetType,
        final Op op) {
        final WindowTarget to = target(target);
        checkOp(op);
        final MessageBuffer data = op == Op.NO_OP ? null : read(origin, count, type);
        final MessageBuffer before = written(result, resultCount, resultType);
        return to == null ? noProcess : to.accumulate(data, before, disp, targetCount, targetType, op, false);
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
        return to == null ? noProcess : to.swap(next, other, before, disp, type);
    }

    private static void checkBasic(final Datatype type) {
        Datatype.checkType(type);
        if (type.elementKind() == ElementKind.NONE) {
            // Cause: one element is accessed atomically. Remedy: a predefined datatype.
            throw new MpiFailure(ErrorClass.TYPE, "datatype is not predefined: type=" + type.name());
        }
    }

    /** Ends an epoch and begins the next one, together with all ranks: the accesses of all have taken effect. */
    public void fence(final int assertion) {
        checkUsable();
        epochs.fence(assertion);
    }

    /** Begins to access the memory of some ranks; waits until each has let this rank. */
    public void start(final Group group, final int assertion) {
        checkUsable();
        epochs.start(group, assertion);
    }

    /** Ends the accesses that {@link #start} began: they have taken effect. */
    public void complete() {
        checkUsable();
        epochs.complete();
    }

    /** Lets some ranks access this rank's memory; does not wait. */
    public void post(final Group group, final int assertion) {
        checkUsable();
        epochs.post(group, assertion);
    }

    /** Waits until the ranks that this rank let access its memory have completed their accesses. */
    public void await() {
        checkUsable();
        epochs.await();
    }

    /** Returns whether these ranks have completed their accesses; if so, they may not access the memory any more. */
    public boolean test() {
        checkUsable();
        return epochs.test();
    }

    /** Begins to access the memory of a rank, alone or together with others that lock it so. */
    public void lock(final boolean isExclusive, final int rank, final int assertion) {
        checkUsable();
        epochs.lock(isExclusive, rank, assertion);
    }

    /** Ends the accesses to the memory of a rank: they have taken effect. */
    public void unlock(final int rank) {
        checkUsable();
        epochs.unlock(rank);
    }

    /** Begins to access the memory of all ranks, together with others. */
    public void lockAll(final int assertion) {
        checkUsable();
        epochs.lockAll(assertion);
    }

    /** Ends the accesses that {@link #lockAll} began: they have taken effect. */
    public void unlockAll() {
        checkUsable();
        epochs.unlockAll();
    }

    /** Completes the accesses to a rank that this one has locked: they have taken effect. */
    public void flush(final int rank) {
        checkUsable();
        epochs.flush(rank);
    }

    /** Completes the accesses to all ranks that this one has locked. */
    public void flushAll() {
        checkUsable();
        epochs.flushAll();
    }

    /** Waits until the buffers of the accesses to a rank may be used. */
    public void flushLocal(final int rank) {
        checkUsable();
        epochs.flushLocal(rank);
    }

    /** Waits until the buffers of all accesses may be used. */
    public void flushLocalAll() {
        checkUsable();
        epochs.flushLocalAll();
    }

    /** Makes what other ranks wrote to this rank's memory there for its reads, and what it wrote there for others. */
    public void sync() {
        checkUsable();
        epochs.checkPassive("sync");
        VarHandle.fullFence();
    }

    /** Attaches native memory to a dynamic window. */
    public void attach(final MemorySegment more) {
        checkDynamic();
        if (!more.isNative()) {
            // Cause: the garbage collector moves arrays. Remedy: a direct buffer.
            throw new MpiFailure(ErrorClass.RMA_ATTACH, "memory of an array cannot be attached: use a direct buffer");
        }
        own.memory().attach(more);
    }

    /** Detaches memory from a dynamic window. */
    public void detach(final MemorySegment less) {
        checkDynamic();
        own.memory().detach(less);
    }

    private void checkDynamic() {
        checkUsable();
        if (flavor != Flavor.DYNAMIC) {
            // Cause: the memory of the window is fixed. Remedy: a window that was created without memory.
            throw new MpiFailure(ErrorClass.RMA_FLAVOR, "window is not dynamic: flavor=" + flavor);
        }
    }
}
