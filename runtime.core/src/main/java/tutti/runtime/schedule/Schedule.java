package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.plan.Assignment;
import tutti.coll.plan.TaskKind;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.shm.PlanSegment;

/**
 * A frozen plan: the task graph of one rank in flat arrays. Immutable, so any number of executions share it. The schedule of a call that could not be
 * planned has the failure, and the communicators on which other ranks may wait for this one.
 *
 * <p>Task {@code t} starts when its {@code dependencies[t]} predecessors are complete. Its successors are {@code successors[firstSuccessor[t] ..
 * firstSuccessor[t + 1])}.
 */
public final class Schedule {
    /** Tasks that a module carries out; the first two are a collective and an opaque task, the others a copy and a reduction. */
    static final byte OFFLOADED = -4;
    static final byte OPAQUE = -3;
    static final byte WORKER_COPY = -2;
    static final byte WORKER_REDUCE = -1;
    static final byte SEND = 0;
    static final byte RECV = 1;
    static final byte COPY = 2;
    static final byte REDUCE = 3;
    static final byte FENCE = 4;
    static final byte RESERVE = 5;
    static final byte POST = 6;
    static final byte AWAIT = 7;
    static final byte GET = 8;
    static final byte COMBINE = 9;
    /** The work of a short schedule: about the time that a thread takes to wake up, in bytes copied. */
    private static final long SHORT_BYTES = 16_384;
    /** The work of a task besides its bytes. */
    private static final long TASK_BYTES = 64;

    final int tasks;
    final byte[] kind;
    final int[] peer;
    final int[] ordinal;
    final short[] channel;
    final CollectiveChannel[] nested;
    /** Per task: the buffer that it reads, if it {@linkplain #reads reads} one. */
    final Buffer[] from;
    final long[] fromOffset;
    /** Per task: the buffer that it writes, if it {@linkplain #writes writes} one. */
    final Buffer[] into;
    final long[] intoOffset;
    final long[] bytes;
    /** Set where the tasks are so little work that another thread may do them in less time than it takes to wake this rank's. */
    final boolean isShort;
    /** Per task: the reduction; null for tasks that do not reduce. */
    final @Nullable BoundReduction[] reduction;
    /** Per task: which part of a module carries it out, or null; empty when the plan has none. */
    final @Nullable Assignment[] assignment;
    /** Number of offloaded collectives. */
    final int offloaded;
    final short[] segment;
    /** The segments; those whose tasks share memory are exposed to other ranks. */
    final PlanSegment[] segments;
    /** Per segment: the ranks of its communicator that read its shared memory. */
    final int[][] readers;
    /** Per channel: whether tasks on it share memory; empty when none do. */
    final boolean[] shared;
    final int[] dependencies;
    final int[] firstSuccessor;
    final int[] successors;
    final int[] roots;
    final long scratchBytes;
    /** Signature that the messages carry; 0 where calls are not compared. */
    final long call;
    /** Signature that ranks which share memory compare. */
    final long sharedCall;
    /** Per rank: what its signature should be where ranks know that it differs from {@code sharedCall}; else empty. */
    private final long[] sharedCalls;
    /** The call for tracing; null when it was not set. */
    final @Nullable TracedCall label;
    /** Why the call could not be planned; null if it was. */
    final @Nullable MpiFailure failure;

    Schedule(final PlanBuilder b) {
        final TaskList made = b.tasks;
        tasks = made.count;
        call = b.call;
        sharedCall = b.sharedCall;
        sharedCalls = b.sharedCalls;
        label = b.label;
        failure = b.failure;
        kind = Arrays.copyOf(made.kind, tasks);
        peer = Arrays.copyOf(made.peer, tasks);
        ordinal = Arrays.copyOf(made.ordinal, tasks);
        channel = Arrays.copyOf(made.channel, tasks);
        nested = made.segments.channels();
        from = Arrays.copyOf(made.from, tasks);
        fromOffset = Arrays.copyOf(made.fromOffset, tasks);
        into = Arrays.copyOf(made.into, tasks);
        intoOffset = Arrays.copyOf(made.intoOffset, tasks);
        bytes = Arrays.copyOf(made.bytes, tasks);
        reduction = Arrays.copyOf(made.reduction, tasks);
        assignment = made.assignment.length == 0 ? made.assignment : Arrays.copyOf(made.assignment, tasks);
        offloaded = (int) Arrays.stream(assignment).filter(Assignment.Offloaded.class::isInstance).count();
        scratchBytes = b.limit(Buffer.SCRATCH);
        segment = Arrays.copyOf(made.segment, tasks);
        segments = made.segments.freeze();
        readers = made.segments.readers();
        shared = shared(made.segments, nested.length + 1);
        dependencies = new int[tasks];
        firstSuccessor = new int[tasks + 1];
        for (int e = 0; e < made.edges; e++) {
            dependencies[made.edgeTo[e]]++;
            firstSuccessor[made.edgeFrom[e] + 1]++;
        }
        for (int t = 0; t < tasks; t++) {
            firstSuccessor[t + 1] += firstSuccessor[t];
        }
        successors = new int[made.edges];
        final int[] fill = Arrays.copyOf(firstSuccessor, tasks);
        for (int e = 0; e < made.edges; e++) {
            successors[fill[made.edgeFrom[e]]++] = made.edgeTo[e];
        }
        int free = 0;
        final int[] first = new int[tasks];
        for (int t = 0; t < tasks; t++) {
            if (dependencies[t] == 0) {
                first[free++] = t;
            }
        }
        roots = Arrays.copyOf(first, free);
        isShort = work() <= SHORT_BYTES;
    }

    private long work() {
        long work = TASK_BYTES * tasks;
        for (int t = 0; t < tasks; t++) {
            // a function of the program runs on a thread of its own rank where that is possible
            final BoundReduction by = reduction[t];
            work += by != null && !by.isPredefined() ? SHORT_BYTES : bytes[t];
        }
        return work;
    }

    /** Returns the code of a kind of tasks. */
    static byte code(final TaskKind kind) {
        return switch (kind) {
            case SEND -> SEND;
            case RECV -> RECV;
            case COPY -> COPY;
            case REDUCE -> REDUCE;
            case FENCE -> FENCE;
            case RESERVE -> RESERVE;
            case POST -> POST;
            case AWAIT -> AWAIT;
            case GET -> GET;
            case PEER_REDUCE -> COMBINE;
            case OPAQUE -> OPAQUE;
            case OFFLOADED -> OFFLOADED;
        };
    }

    private static boolean[] shared(final PlanSegments segments, final int channels) {
        final boolean[] shared = new boolean[channels];
        boolean any = false;
        for (int c = 0; c < channels; c++) {
            shared[c] = segments.anySharesMemory(c);
            any |= shared[c];
        }
        return any ? shared : new boolean[0];
    }

    /** Returns the signature that the call of a task's peer should have. */
    long callOfPeer(final int t) {
        return sharedCalls.length == 0 ? sharedCall : sharedCalls[peer[t]];
    }

    /** Returns the error class of a plan that does not fit that of a peer: where ranks may give different lengths, these differ. */
    ErrorClass misfit() {
        return sharedCall != 0 && CallSignature.hasOwnLengths(sharedCall) ? ErrorClass.COUNT : ErrorClass.INTERN;
    }

    /** Allocates scratch memory for an execution, in an array of the type on which its reductions are fastest. */
    MemorySegment newScratch() {
        final BoundReduction first = firstReduction();
        if (first != null) {
            return first.newMemory(scratchBytes);
        }
        if (scratchBytes > Integer.MAX_VALUE * 8L) {
            // Cause: the algorithm needs more memory than an array of Java has. Remedy: less data, or another algorithm.
            throw new MpiFailure(ErrorClass.OTHER, "schedule needs too much scratch memory: bytes=" + scratchBytes + ", max="
                + Integer.MAX_VALUE * 8L);
        }
        return MemorySegment.ofArray(new long[(int) (scratchBytes + 7 >>> 3)]);
    }

    /** Returns the reduction of the first task that reduces; null when there is none. */
    @Nullable
    BoundReduction firstReduction() {
        for (final BoundReduction r : reduction) {
            if (r != null) {
                return r;
            }
        }
        return null;
    }

    /** Returns whether tasks on a channel read shared memory of peers. */
    boolean readsShared(final int on) {
        for (int t = 0; t < tasks; t++) {
            if (kind[t] >= GET && channel[t] == on && from[t] == Buffer.SHARED) {
                return true;
            }
        }
        return false;
    }

    /** Returns what a module carries out for a task; null for a task of the runtime. */
    @Nullable
    Assignment assignment(final int t) {
        return assignment.length == 0 ? null : assignment[t];
    }

    /** Returns whether a task reads one buffer: of its rank, or of its peer. */
    boolean reads(final int t) {
        return kind[t] == SEND || writes(t) && kind[t] != RECV;
    }

    /** Returns whether a task writes one buffer. */
    boolean writes(final int t) {
        return kind[t] < FENCE && kind[t] != SEND && kind[t] > OPAQUE || kind[t] >= GET;
    }

    /** Returns whether a task has a peer. */
    boolean hasPeer(final int t) {
        return kind[t] == SEND || kind[t] == RECV || kind[t] > POST;
    }

    /** Returns the call for tracing; null when it was not set. */
    public @Nullable TracedCall label() {
        return label;
    }

    /** Describes the first {@code limit} tasks of the schedule on the communicator of a channel. */
    public List<PlannedTask> describe(final CollectiveChannel on, final int limit) {
        return new ScheduleDescription(this, on).tasks(limit);
    }

    /** Returns why the call could not be planned; null if it was. */
    public @Nullable MpiFailure failure() {
        return failure;
    }

    /** Returns the number of tasks. */
    public int tasks() {
        return tasks;
    }

    /** Returns the scratch memory that an execution needs, in bytes. */
    public long scratchBytes() {
        return scratchBytes;
    }
}
