package tutti.runtime.comm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.WindowLocks;
import tutti.runtime.access.WindowPart;
import tutti.runtime.access.WindowTable;
import tutti.runtime.context.ContextIds;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.inspect.FileState;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.inspect.WindowState;
import tutti.runtime.lifecycle.RankHelperThreads;
import tutti.runtime.match.MailboxInspection;
import tutti.runtime.model.Group;
import tutti.runtime.process.RankProcess;
import tutti.runtime.process.owner.RankProgram;
import tutti.runtime.request.Request;

/** Finds out what a rank does, by its stack, the request that its thread is parked for, and its mailbox. For a thread of the node, once. */
final class RankInspection {
    private static final int MOST_MESSAGES = 16;
    private static final int MOST_WINDOWS = 16;
    private static final int MOST_FILES = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final String POOL = "java.util.concurrent.ThreadPoolExecutor";
    /** Its threads wait for a time when tasks are due. */
    private static final String TIMERS = "java.util.concurrent.ScheduledThreadPoolExecutor";

    private static final String TASK = "java.util.concurrent.FutureTask";
    private static final String EXECUTOR = "java.util.concurrent.ExecutorService";

    private final Rank rank;
    private final Map<Long, Communicator> communicators = new LinkedHashMap<>();

    RankInspection(final Rank rank, final Stream<Communicator> all) {
        this.rank = rank;
        all.filter(c -> c.contextId() >= 0).forEach(c -> communicators.put(c.contextId(), c));
    }

    RankState state(final RankProcess.Activity activity) {
        final List<Thread> others = activity.others().stream().filter(t -> !RankHelperThreads.isHelper(t) && !isIdle(t)).toList();
        final List<PendingWait> waits = new ArrayList<>();
        if (activity.isRunning()) {
            waits.addAll(waits(activity.blocker()));
        }
        final PendingWait lock = waits.isEmpty() && activity.main() != null ? lock(activity.main()) : null;
        if (lock != null && lock.peer() != rank.worldRank()) {
            waits.add(lock);
        }
        StackTraceElement[] stack = activity.stack();
        final boolean isLed = waits.isEmpty() && activity.main() != null && (lock != null || waitsForThreads(activity.main(), stack));
        boolean hasOtherThreads = false;
        for (final Thread other : others) {
            List<PendingWait> more = waits(LockSupport.getBlocker(other));
            final PendingWait held = more.isEmpty() ? lock(other) : null;
            if (held != null && held.peer() != rank.worldRank()) {
                more = List.of(held);
            }
            hasOtherThreads |= more.isEmpty() && held == null && !waitsForThreads(other, other.getStackTrace());
            if (isLed && waits.isEmpty() && !more.isEmpty()) {
                // the main thread goes on when this one does
                stack = other.getStackTrace();
            }
            if (isLed || !waits.isEmpty()) {
                waits.addAll(more);
            }
        }
        int program = 0;
        while (program < stack.length && isLibrary(stack[program])) {
            program++;
        }
        final boolean isInMpi = program > 0 && stack[program - 1].getClassName().startsWith("mpi.");
        return new RankState(rank.worldRank(), activity(activity, waits, hasOtherThreads), isInMpi ? stack[program - 1].getMethodName() : null,
            program < stack.length ? line(stack[program]) : null, waits.isEmpty() ? 0 : rank.context().lifecycle().parkedMillis(), waits,
            unreceived(), calls(), windows(), files());
    }

    private RankState.Activity activity(final RankProcess.Activity activity, final List<PendingWait> waits, final boolean hasOtherThreads) {
        if (activity.isStarting()) {
            return RankState.Activity.STARTING;
        }
        if (!activity.isRunning()) {
            return RankState.Activity.ENDED;
        }
        if (rank.isFinished()) {
            return RankState.Activity.FINALIZED;
        }
        return waits.isEmpty() || hasOtherThreads ? RankState.Activity.COMPUTING : RankState.Activity.WAITING;
    }

    /** Returns whether a thread is one of a pool without work, which can get some from other threads of the rank alone. */
    private static boolean isIdle(final Thread thread) {
        boolean isOfPool = false;
        boolean hasTimers = false;
        for (final StackTraceElement frame : thread.getStackTrace()) {
            isOfPool |= POOL.equals(frame.getClassName()) && frame.getMethodName().equals("getTask");
            hasTimers |= frame.getClassName().startsWith(TIMERS);
        }
        return isOfPool && (!hasTimers || thread.getState() == Thread.State.WAITING);
    }

    /** Returns whether a thread waits, without a time limit, for the end of other threads or of tasks that these run. */
    private static boolean waitsForThreads(final Thread thread, final StackTraceElement[] stack) {
        final boolean isUnlimited = thread.getState() == Thread.State.WAITING;
        for (final StackTraceElement frame : stack) {
            final String call = frame.getClassName() + "." + frame.getMethodName();
            if (!call.startsWith("java.") && !call.startsWith("jdk.")) {
                break;
            }
            // close waits for a day at a time
            if (isUnlimited && (call.equals("java.lang.Thread.join") || call.equals(TASK + ".get")) || call.equals(EXECUTOR + ".close")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLibrary(final StackTraceElement frame) {
        final String name = frame.getClassName();
        return Stream.of("mpi.", "tutti.", "java.", "jdk.", "sun.").anyMatch(name::startsWith);
    }

    private static String line(final StackTraceElement frame) {
        return frame.getClassName() + "." + frame.getMethodName() + (frame.getFileName() == null ? "" : "(" + frame.getFileName() + ":"
            + frame.getLineNumber() + ")");
    }

    private List<PendingWait> waits(final @Nullable Object blocker) {
        return switch (blocker) {
            case final Request one -> pending(one);
            case final Request[] any -> pending(any);
            case null, default -> List.of();
        };
    }

    /** Returns the lock that a thread is blocked on, perhaps held by another thread of this rank; null for none. */
    private @Nullable PendingWait lock(final Thread thread) {
        final RankProcess.LockWait wait = RankProcess.lockWait(thread);
        if (wait == null) {
            return null;
        }
        final RankProgram holder = wait.holder();
        final int peer = holder == null ? PendingWait.UNKNOWN : holder.job().equals(rank.job().id()) ? holder.rank() : PendingWait.ELSEWHERE;
        return new PendingWait(PendingWait.Kind.LOCK, 0, wait.lock(), peer, PendingWait.ANY, -1, List.of());
    }

    private List<PendingWait> pending(final @Nullable Request... any) {
        return Stream.of(any).filter(r -> r != null && !r.isDone()).map(r -> wait(r.pendingOperation())).toList();
    }

    private PendingWait wait(final Request.Pending pending) {
        if (pending.kind() == PendingWait.Kind.FINALIZE) {
            return new PendingWait(PendingWait.Kind.FINALIZE, ContextIds.WORLD, rank.world().name(), PendingWait.ANY, PendingWait.ANY, -1, List.of());
        }
        final int traffic = (int) Math.floorMod(pending.context(), (long) ContextIds.STRIDE);
        final long id = pending.context() - traffic;
        final Communicator comm = communicators.get(id);
        final PendingWait.Kind kind = kind(pending.kind(), traffic, comm != null);
        if (comm == null) {
            return new PendingWait(kind, id, "", pending.peer() == PendingWait.ANY ? PendingWait.ANY : PendingWait.UNKNOWN, pending.tag(),
                pending.number(), kind == PendingWait.Kind.BUFFER ? receivers() : List.of(PendingWait.UNKNOWN));
        }
        final List<Integer> members = comm == rank.world() && rank.incarnation() == 0 ? List.of()
            : !pending.ranks().isEmpty() ? pending.ranks().stream().map(r -> world(comm, r)).toList()
            : kind.isOfAll() ? members(comm.context().all())
            : pending.peer() == PendingWait.ANY ? members(comm.remoteGroup()) : List.of();
        return new PendingWait(kind, id, comm.name(), pending.peer() == PendingWait.ANY ? PendingWait.ANY : world(comm, pending.peer()),
            pending.tag(),
            pending.number(), members);
    }

    /** Returns the kind of a wait, of which the kind of traffic says more. Hidden communicators, which nobody knows, are created by modules. */
    private static PendingWait.Kind kind(final PendingWait.Kind kind, final int traffic, final boolean isKnown) {
        return switch (kind) {
            case RECEIVE, SEND, PROBE -> switch (traffic) {
                case ContextIds.LEADERS -> PendingWait.Kind.LEADER;
                case ContextIds.MODULES, ContextIds.LIVE_MODULES -> PendingWait.Kind.MODULE;
                case ContextIds.CHECKPOINTS -> PendingWait.Kind.CHECKPOINT;
                default -> kind;
            };
            case CREATION -> isKnown ? kind : PendingWait.Kind.SELECTION;
            default -> kind;
        };
    }

    /** Returns the ranks that may have to receive messages of an attached buffer; empty for all ranks of the job. */
    private List<Integer> receivers() {
        return communicators.values().stream().anyMatch(Communicator::spansJobs) ? List.of(PendingWait.ELSEWHERE) : List.of();
    }

    /** Returns ranks in COMM_WORLD. */
    private List<Integer> members(final Group group) {
        return IntStream.range(0, group.size()).mapToObj(r -> world(group.worldRank(r))).toList();
    }

    private int world(final Communicator comm, final int peer) {
        return peer < 0 || peer >= comm.remoteSize() ? PendingWait.ELSEWHERE : world(comm.worldRank(peer));
    }

    private int world(final int number) {
        return number < rank.job().size() ? number : PendingWait.ELSEWHERE;
    }

    private List<UnreceivedMessage> unreceived() {
        return unreceived(MOST_MESSAGES);
    }

    /** Returns the oldest messages of the program that the rank has not received. */
    List<UnreceivedMessage> unreceived(final int limit) {
        final List<UnreceivedMessage> messages = new ArrayList<>();
        for (final MailboxInspection.Unmatched m : new MailboxInspection(limit).of(rank.context().mailbox(), PATIENCE)) {
            final Communicator comm = communicators.get(m.context() - Math.floorMod(m.context(), ContextIds.STRIDE));
            if (comm != null && Math.floorMod(m.context(), ContextIds.STRIDE) == ContextIds.MESSAGES) {
                messages.add(new UnreceivedMessage(comm.name(), world(comm, m.source()), (int) m.tag(), m.bytes()));
            }
        }
        return messages;
    }

    /** Returns the windows in use. */
    private List<WindowState> windows() {
        final WindowTable table = rank.context().job().windows();
        final List<WindowState> all = new ArrayList<>();
        for (final Communicator comm : communicators.values()) {
            final WindowPart part = comm.isNull() || comm.isInter() ? null : table.find(comm.contextId(), comm.rank());
            if (part != null && all.size() < MOST_WINDOWS) {
                final WindowLocks.Held held = part.locks().held();
                final WindowState state = new WindowState(comm.contextId(), comm.name(), part.epoch(), ranks(comm, held.holders()),
                    held.isExclusive(), ranks(comm, held.waiting()));
                if (state.isInUse()) {
                    all.add(state);
                }
            }
        }
        return all;
    }

    /** Returns the open files; none after Finalize, as of windows. */
    private List<FileState> files() {
        return rank.isFinished() ? List.of() : rank.context().files().stream().limit(MOST_FILES).map(Supplier::get).toList();
    }

    private List<Integer> ranks(final Communicator comm, final List<Integer> of) {
        return of.stream().map(r -> world(comm, r)).toList();
    }

    private List<CommCalls> calls() {
        return communicators.values().stream().map(c -> c.engine().begun()).filter(c -> c.calls() > 0 || c.creations() > 0).toList();
    }
}
