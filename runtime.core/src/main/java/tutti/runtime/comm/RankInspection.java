package tutti.runtime.comm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.ContextIds;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.lifecycle.RankHelperThreads;
import tutti.runtime.match.MailboxInspection;
import tutti.runtime.process.RankProcess;
import tutti.runtime.request.Request;

/** Finds out what a rank does, by its stack, the request that its thread is parked for, and its mailbox. For a thread of the node, once. */
final class RankInspection {
    private static final int MOST_MESSAGES = 16;
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
        all.filter(c -> !c.isNull()).forEach(c -> communicators.put(c.contextId(), c));
    }

    RankState state(final RankProcess.Activity activity) {
        final List<Thread> others = activity.others().stream().filter(t -> !RankHelperThreads.isHelper(t) && !isIdle(t)).toList();
        final List<PendingWait> waits = new ArrayList<>();
        if (activity.isRunning()) {
            waits.addAll(waits(activity.blocker()));
        }
        StackTraceElement[] stack = activity.stack();
        final boolean isLed = waits.isEmpty() && activity.main() != null && waitsForThreads(activity.main(), stack);
        boolean hasOtherThreads = false;
        for (final Thread other : others) {
            final List<PendingWait> more = waits(LockSupport.getBlocker(other));
            hasOtherThreads |= more.isEmpty() && !waitsForThreads(other, other.getStackTrace());
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
            unreceived(), calls());
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
            case final Request one -> List.of(wait(one.pendingOperation()));
            case final Request[] any -> Stream.of(any).filter(r -> r != null && !r.isDone()).map(r -> wait(r.pendingOperation())).toList();
            case null, default -> List.of();
        };
    }

    private PendingWait wait(final Request.Pending pending) {
        final long id = pending.context() - Math.floorMod(pending.context(), ContextIds.STRIDE);
        final Communicator comm = pending.kind() == PendingWait.Kind.OTHER ? null : communicators.get(id);
        if (comm == null) {
            return new PendingWait(PendingWait.Kind.OTHER, pending.context(), "", PendingWait.ANY, PendingWait.ANY, -1, List.of());
        }
        final boolean needsMembers = pending.kind() == PendingWait.Kind.COLLECTIVE || pending.peer() == PendingWait.ANY;
        return new PendingWait(pending.kind(), id, comm.name(), pending.peer() == PendingWait.ANY ? PendingWait.ANY : world(comm, pending.peer()),
            pending.tag(), pending.number(), needsMembers && comm != rank.world() ? members(comm) : List.of());
    }

    /** Returns the other ranks of a communicator, in COMM_WORLD. */
    private List<Integer> members(final Communicator comm) {
        final List<Integer> members = new ArrayList<>(IntStream.range(0, comm.remoteSize()).mapToObj(r -> world(comm, r)).toList());
        if (comm.isInter()) {
            // collectives of two groups need both
            members.add(PendingWait.ELSEWHERE);
        }
        members.remove(Integer.valueOf(rank.worldRank()));
        return members;
    }

    private int world(final Communicator comm, final int peer) {
        final int world = peer < 0 || peer >= comm.remoteSize() ? PendingWait.ELSEWHERE : comm.worldRank(peer);
        return world < rank.job().size() ? world : PendingWait.ELSEWHERE;
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

    private List<CommCalls> calls() {
        return communicators.values().stream().map(c -> new CommCalls(c.contextId(), c.engine().calls())).filter(c -> c.calls() > 0).toList();
    }
}
