package tutti.mpi.interception;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import mpi.Bindings;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollJob;
import tutti.intercept.CallInterceptor;
import tutti.intercept.InterceptedCall;
import tutti.intercept.InterceptedRank;
import tutti.intercept.RankInterceptor;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.owner.CallBridge;

/**
 * Internal: the interception of the calls of one rank. Not for use by programs.
 *
 * <p>In a job that names interceptors, the program's calls of package {@code mpi} lead to a generated class, {@link CallBridgeClass}, which every
 * rank has for itself and which makes each call between {@link #begin} and {@link #end}. In other jobs neither is loaded.
 *
 * <p><b>Threads.</b> Safe for any thread of the rank. The interceptors begin when the class is initialized.
 */
public final class Interception {
    private final Rank rank;
    private final List<Stage> stages = new ArrayList<>();
    /** The number of messages so far by communicator, sender, receiver and tag: matching messages have the same on both sides. */
    private final Map<MessageKey, Integer> messages = new HashMap<>();
    private boolean isNestedAsked;
    private boolean isEnded;

    /** A communicator, the ranks of a message in COMM_WORLD, and its tag. */
    private record MessageKey(long context, int from, int to, int tag) {}

    /** An interceptor of the rank. */
    private static final class Stage {
        private final ModuleId id;
        private final RankInterceptor interceptor;
        private final AtomicBoolean hasFailed = new AtomicBoolean();

        Stage(final ModuleId id, final RankInterceptor interceptor) {
            this.id = id;
            this.interceptor = interceptor;
        }

        /** Runs code of the interceptor whose failure does not concern the program. */
        void run(final Runnable code) {
            try {
                code.run();
            } catch (final Exception | LinkageError | StackOverflowError e) {
                if (hasFailed.compareAndSet(false, true)) {
                    System.err.println("interceptor " + id + " failed, further failures are not printed: " + e);
                }
            }
        }
    }

    private Interception(final Rank rank) {
        this.rank = rank;
        rank.whenEnded(() -> stages.forEach(s -> s.run(s.interceptor::dispose)));
        for (final Map.Entry<ModuleId, CallInterceptor> i : rank.interceptors().entrySet()) {
            try {
                stages.add(new Stage(i.getKey(), i.getValue().begin(new View(i.getKey().name()))));
            } catch (final Exception e) {
                throw new IllegalStateException("interceptor " + i.getKey() + " cannot begin: " + e, e);
            }
        }
    }

    /** Creates the interception of the rank that has a class loader. */
    public static Interception of(final ClassLoader loader) {
        if (loader instanceof final RankScope scope) {
            return new Interception(scope.rank());
        }
        throw new IllegalStateException("not the class loader of a rank");
    }

    /** Returns the class through which intercepted calls go. */
    public static CallBridge bridge() {
        return CallBridgeClass.BRIDGE;
    }

    /**
     * Begins a call.
     *
     * @param index     index of the call in {@link CallBridgeClass#CALLS}
     * @param receiver  the object whose method is called; null for a static one
     * @param arguments the arguments
     * @throws MPIException if an interceptor refuses the call
     */
    public CallRecord begin(final int index, final @Nullable Object receiver, final Object[] arguments) throws MPIException {
        final CallRecord call = new CallRecord(CallBridgeClass.CALLS.get(index), receiver, arguments, isRunning());
        if (call.isFinalize()) {
            finish();
            return call;
        }
        askForNested();
        for (int s = 0; s < stages.size(); s++) {
            try {
                stages.get(s).interceptor.before(call);
            } catch (final Exception | LinkageError | StackOverflowError e) {
                final MPIException refusal = refusal(stages.get(s).id, call, e);
                call.begun(System.nanoTime());
                call.ended(System.nanoTime(), null, refusal);
                after(call, s);
                throw refusal;
            }
        }
        if (call.operation().equals("pControl")) {
            stages.forEach(s -> s.run(() -> s.interceptor.control((Integer) call.argument(0), call.argument(1))));
        }
        call.begun(System.nanoTime());
        return call;
    }

    private static MPIException refusal(final ModuleId by, final CallRecord call, final Throwable why) {
        // Cause: an interceptor of `-p intercept=` does not let the call through, for example `chaos`. Remedy: leave it out, or as it says.
        final String message = "call refused by interceptor " + by + ": " + (why.getMessage() == null ? why.toString() : why.getMessage());
        return Bindings.raise(call.comm(), MPI.ERR_OTHER, message, why);
    }

    /** Ends a call with its result or its failure. */
    public void end(final CallRecord call, final @Nullable Object result, final @Nullable Throwable failure) {
        call.ended(System.nanoTime(), result, failure);
        if (!call.isFinalize()) {
            after(call, stages.size());
        }
    }

    private void after(final CallRecord call, final int reached) {
        for (int s = reached - 1; s >= 0; s--) {
            final Stage stage = stages.get(s);
            stage.run(() -> stage.interceptor.after(call));
        }
    }

    private boolean isRunning() {
        return rank.isInitialized() && !rank.isFinished();
    }

    /** Asks for nested collectives once, when the rank has called Init. */
    private synchronized void askForNested() {
        if (!isNestedAsked && isRunning()) {
            isNestedAsked = true;
            rank.onNested(nested -> stages.forEach(s -> s.run(() -> s.interceptor.nested(nested))));
        }
    }

    /** Ends the interceptors, of whose data rank 0 makes a report. All ranks do this in Finalize. */
    private void finish() throws MPIException {
        synchronized (this) {
            if (isEnded || !isRunning()) {
                return;
            }
            isEnded = true;
        }
        final Bindings bindings = Bindings.of(rank);
        for (final Stage stage : stages) {
            final List<byte[]> own = new ArrayList<>();
            stage.run(() -> {
                final byte[] part = stage.interceptor.end();
                own.add(part == null ? new byte[0] : part);
            });
            final List<byte[]> parts = gather(bindings, own.isEmpty() ? new byte[0] : own.getFirst());
            if (!parts.isEmpty() && parts.stream().anyMatch(p -> p.length > 0)) {
                stage.run(() -> stage.interceptor.report(parts));
            }
        }
    }

    /** Returns the data of all ranks on rank 0, and nothing on the others. */
    private static List<byte[]> gather(final Bindings bindings, final byte[] own) throws MPIException {
        final Intracomm world = bindings.world();
        final int size = world.getSize();
        final boolean isRoot = world.getRank() == 0;
        final Datatype ofInts = bindings.datatype("INT");
        final Datatype ofBytes = bindings.datatype("BYTE");
        final int[] lengths = new int[size];
        world.gather(new int[] {own.length}, 1, ofInts, isRoot ? lengths : null, 1, ofInts, 0);
        final int[] displacements = new int[size];
        int total = 0;
        for (int r = 0; r < size; r++) {
            displacements[r] = total;
            total = Math.addExact(total, lengths[r]);
        }
        if (!isRoot) {
            world.gatherv(own, own.length, ofBytes, 0);
            return List.of();
        }
        final byte[] all = new byte[total];
        world.gatherv(own, own.length, ofBytes, all, lengths, displacements, ofBytes, 0);
        final List<byte[]> parts = new ArrayList<>();
        for (int r = 0; r < size; r++) {
            parts.add(java.util.Arrays.copyOfRange(all, displacements[r], displacements[r] + lengths[r]));
        }
        return parts;
    }

    /** The rank as its interceptors see it. */
    private final class View implements InterceptedRank {
        private final String module;

        View(final String module) {
            this.module = module;
        }

        @Override
        public CollJob job() {
            return rank.jobOfModules();
        }

        @Override
        public int rank() {
            return rank.worldRank();
        }

        @Override
        public String node() {
            return rank.nodeName();
        }

        @Override
        public void trace(final InterceptedCall call) {
            if (call instanceof final CallRecord known) {
                record(known);
            }
        }

        @Override
        public void keepReport(final String mediaType, final byte[] content) {
            if (rank.worldRank() != 0) {
                throw new IllegalStateException("a report of a job is that of rank 0: module=" + module + ", rank=" + rank.worldRank());
            }
            rank.keepReport(new InterceptorReport(module, mediaType, content.clone()));
        }
    }

    private void record(final CallRecord call) {
        final Communicator comm = call.handle();
        final TracedCall label = new TracedCall(call.operation(), "mpi." + call.owner(), call.operation(),
            comm == null ? "" : String.valueOf(call.communicator()), call.bytes());
        final boolean isSend = switch (call.operation()) {
            case "send", "bSend", "sSend", "rSend", "iSend", "ibSend", "isSend", "irSend" -> true;
            default -> false;
        };
        final boolean isRecv = call.operation().equals("recv") || call.operation().equals("iRecv");
        int peer = call.peer();
        int tag = call.tag();
        if (isRecv && call.result() instanceof final Status status && call.failure() == null) {
            peer = status.getSource();
            tag = status.getTag();
        }
        PlannedTask.Kind kind = null;
        int worldPeer = -1;
        long number = 0;
        if (comm != null && (isSend || isRecv) && peer >= 0 && peer < comm.remoteSize() && tag >= 0 && call.failure() == null) {
            worldPeer = comm.worldRank(peer);
            final int self = rank.worldRank();
            final MessageKey key = new MessageKey(comm.contextId(), isSend ? self : worldPeer, isSend ? worldPeer : self, tag);
            synchronized (messages) {
                number = ((long) messages.merge(key, 1, Integer::sum) << Integer.SIZE) + tag;
            }
            // when a receive that was only posted is complete is not known, so no message is drawn to it
            kind = isSend ? PlannedTask.Kind.SEND : call.operation().equals("recv") ? PlannedTask.Kind.RECV : null;
        }
        rank.trace(label, new TraceEvent(0, kind, kind == null ? -1 : 0, kind == null ? -1 : worldPeer, call.bytes(),
            comm == null ? -1 : -2 - (int) comm.contextId(), number, null, call.begin(), call.begin() + call.nanos(), call.failure() == null));
    }
}
