package tutti.runtime.comm;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollJob;
import tutti.coll.advanced.ThreadLevel;
import tutti.intercept.CallInterceptor;
import tutti.intercept.NestedCollective;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.context.JobTermination;
import tutti.runtime.context.RankContext;
import tutti.runtime.dpm.ConnectedJobs;
import tutti.runtime.dpm.GroupMeeting;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.Replacement;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.MatchedMessagePurge;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ModuleId;
import tutti.runtime.p2p.AttachedBuffer;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.process.RankProcess;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.request.GeneralizedRequest;
import tutti.runtime.request.GrequestFunctions;
import tutti.runtime.request.UserCompletedRequest;
import tutti.runtime.schedule.TraceRecorder;
import tutti.runtime.select.JobModules;

/**
 * One MPI process of a job: its communicators, and its state from Init to Finalize. Any thread of the rank may call it, as its thread level
 * allows.
 *
 * <p><b>Threads.</b> The set of communicators is concurrent; its lock makes the removal of one and the sum of its statistics one step. Init is
 * synchronized and published by the state of the {@link RankContext}.
 */
public final class Rank {
    /** Most messages that are told of after Finalize. */
    private static final int MOST_UNRECEIVED = 1000;
    private static final String WORLD = "MPI_COMM_WORLD";

    private final RankContext context;
    private final ConnectedJobs connections;
    private final JobTermination termination;
    private final AttachedBuffer attachedBuffer;
    /** The null communicator for a spare rank before it takes a place. */
    private volatile Communicator world;
    /** The place that a spare rank has taken; null for other ranks. */
    private volatile @Nullable Replacement place;
    private final Communicator self;
    private final Communicator nullCommunicator;
    private final ProcessPorts ports;
    private final Set<Communicator> created = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Thread main;
    private volatile @Nullable Object api;
    private volatile @Nullable Communicator parent;
    private volatile boolean released;
    private volatile List<UnreceivedMessage> unreceived = List.of();
    private final Queue<Runnable> whenEnded = new ConcurrentLinkedQueue<>();
    /** Reports of interceptors, by their names. */
    private final Map<String, InterceptorReport> reports = new ConcurrentHashMap<>();
    /** Statistics of communicators that were freed; guarded by {@link #created}. */
    private CacheStatistics freedStatistics = CacheStatistics.NONE;
    /** On rank 0, what the tuning of calls has found out on communicators that were freed; guarded by {@link #created}. */
    private final Map<CallTuning.CallClass, CallTuning> freedTuning = new TreeMap<>();

    /**
     * Creates a rank that has not called Init.
     *
     * @param connections connects the rank to ranks of other jobs
     * @param mailbox     receives the messages of the rank
     * @param termination ends the job
     */
    public Rank(final JobEnvironment job, final ConnectedJobs connections, final int worldRank, final Mailbox mailbox,
        final JobTermination termination) {
        this.context = new RankContext(job, worldRank, mailbox);
        this.connections = connections;
        this.termination = termination;
        this.ports = new ProcessPorts(context, connections);
        this.attachedBuffer = new AttachedBuffer(context.lifecycle());
        this.self = new Communicator(this, CommContext.predefined(context, "MPI_COMM_SELF", ContextIds.SELF, Group.of(worldRank)));
        this.nullCommunicator = new Communicator(this, CommContext.nullContext(context));
        this.world = job.world().rankOf(worldRank) == Group.UNDEFINED ? nullCommunicator
            : new Communicator(this, CommContext.predefined(context, WORLD, ContextIds.WORLD, job.world()));
    }

    /** Gives this spare rank, which has not started, the place of a rank that has failed: COMM_WORLD is the communicator with that place. */
    public void replace(final Replacement taken) {
        world = new Communicator(this, CommContext.replacing(context, WORLD, taken.context(),
            Group.of(taken.members().stream().mapToInt(Integer::intValue).toArray())));
        place = taken;
    }

    /** Returns the number of ranks that had the place of this one before; 0 for a rank that has begun with the job. */
    public int incarnation() {
        final Replacement taken = place;
        return taken == null ? 0 : taken.incarnation();
    }

    /** Returns COMM_WORLD. */
    public Communicator world() {
        return world;
    }

    /** Returns COMM_SELF. */
    public Communicator self() {
        return self;
    }

    /** Returns the null communicator, which refuses every call. */
    public Communicator nullCommunicator() {
        return nullCommunicator;
    }

    /**
     * Performs Init as {@link #init(ThreadLevel)} does, for a program that asks for no thread level. It gets the highest one that all modules of the
     * job support, normally MULTIPLE; where thread levels are checked it gets SINGLE.
     *
     * @return the provided thread level
     */
    public ThreadLevel init() {
        final JobModules modules = context.job().modules();
        return init(CheckLevel.checksThreads(modules.parameters()) ? ThreadLevel.SINGLE : modules.highestThreadLevel());
    }

    /**
     * Performs Init: selects the modules of COMM_WORLD, and makes COMM_WORLD and COMM_SELF usable. The modules of COMM_SELF are selected when it is
     * used, since few programs use it. The ranks of a spawned job then connect to those that spawned it. A spare rank joins those whose communicator
     * has the place that it takes.
     *
     * @return the provided thread level, which is the required one
     */
    public synchronized ThreadLevel init(final ThreadLevel required) {
        context.init(required);
        main = Thread.currentThread();
        world.context().watch();
        self.context().watch();
        if (place == null) {
            AgreedCreation.take(world, () -> world.engine().select(), () -> {
                // the program cannot begin
            });
        } else {
            Replacing.join(world);
        }
        self.engine().selectWhenUsed();
        context.initialized();
        final String port = context.job().parent();
        if (port != null && place == null) {
            parent = world.connect(port, 0, null);
        }
        return required;
    }

    /** Performs Finalize: waits for all ranks of the job that live, then releases the communicators. */
    public void finish() {
        context.checkUsable();
        context.mailbox().submit(new MatchedMessagePurge());
        attachedBuffer.detachIfAttached();
        if (!context.reportsLosses()) {
            world.engine().awaitFinalize();
        } else {
            // they need not be in one communicator; and one that is left with ranks that have ended would take these for failed ones
            GroupMeeting.await(context, connections.services().inFinalize(worldRank()).toCompletableFuture(), PendingWait.Kind.FINALIZE, null,
                ErrorClass.OTHER, "the job's ranks are not waited for in Finalize");
        }
        unreceived = inspection().unreceived(MOST_UNRECEIVED);
        context.printWarnings();
        tellTuning();
        context.finished();
        release();
    }

    /** Tells the job what the tuning of calls has found out on the communicators of rank 0, each class of calls once. */
    private void tellTuning() {
        if (worldRank() == 0) {
            final Map<CallTuning.CallClass, CallTuning> found;
            synchronized (created) {
                found = new TreeMap<>(freedTuning);
                Stream.concat(created.stream(), Stream.of(world)).forEach(c -> addTuning(c, found));
            }
            if (!found.isEmpty()) {
                context.job().tuned(List.copyOf(found.values()));
            }
        }
    }

    private static void addTuning(final Communicator from, final Map<CallTuning.CallClass, CallTuning> to) {
        from.engine().tuning().stream().filter(CallTuning::isDecided).forEach(t -> to.put(t.callClass(), t.brief()));
    }

    /** Releases the resources of the communicators: at Finalize, or when the job ends for a rank that did not call it. Idempotent. */
    public void release() {
        released = true;
        created.forEach(comm -> {
            comm.engine().release();
            forget(comm);
        });
        api = null;
        parent = null;
        world.engine().release();
        self.engine().release();
        context.lifecycle().helpers().end();
    }

    /** Runs an action when the rank has ended and none of its threads makes a call any more. */
    public void whenEnded(final Runnable action) {
        whenEnded.add(action);
    }

    /** Runs the actions that wait for the end of the rank, each once. */
    public void ended() {
        for (Runnable action = whenEnded.poll(); action != null; action = whenEnded.poll()) {
            action.run();
        }
    }

    /**
     * Begins to change the modules of all communicators, where the job has newer ones.
     *
     * @return a stage that completes when it is known on each of them from which call on the newest ones serve
     */
    public CompletionStage<Void> follow() {
        return CompletableFuture.allOf(Stream.concat(Stream.of(world, self), created.stream()).filter(c -> !c.isNull())
            .map(c -> c.engine().follow().toCompletableFuture()).toArray(CompletableFuture[]::new));
    }

    /** Records a communicator that was created. */
    void remember(final Communicator comm) {
        created.add(comm);
    }

    /** Removes a communicator that holds no resources any more. */
    void forget(final Communicator comm) {
        synchronized (created) {
            if (created.remove(comm)) {
                freedStatistics = freedStatistics.plus(comm.engine().statistics().countersOnly());
                if (worldRank() == 0) {
                    addTuning(comm, freedTuning);
                }
            }
        }
    }

    /** Returns the statistics of the schedule caches of the rank's communicators. Entries and memory count until the rank has released them. */
    public CacheStatistics statistics() {
        synchronized (created) {
            CacheStatistics sum = world.engine().statistics().plus(self.engine().statistics());
            for (final Communicator comm : created) {
                sum = sum.plus(comm.engine().statistics());
            }
            return freedStatistics.plus(released ? sum.countersOnly() : sum);
        }
    }

    /** Returns the number of communicators that were created and not released. */
    int communicators() {
        return created.size();
    }

    /** Returns whether Init was called. */
    public boolean isInitialized() {
        return context.isInitialized();
    }

    /** Returns whether Finalize was called. */
    public boolean isFinished() {
        return context.isFinished();
    }

    /** Returns the thread level. */
    public ThreadLevel threadLevel() {
        return context.threadLevel();
    }

    /** Returns whether the calling thread is the one that called Init. */
    public boolean isMainThread() {
        return Thread.currentThread() == main;
    }

    /** Returns the rank in COMM_WORLD. */
    public int worldRank() {
        return context.worldRank();
    }

    /** Returns the number of ranks of COMM_WORLD. */
    public int worldSize() {
        return world.size();
    }

    /** Returns the number of ranks for which the cluster has cores at this time, and at least that of the job. */
    public int universeSize() {
        return Math.max(worldSize(), connections.places());
    }

    /** Returns the index of the program that this rank runs, among those that were spawned together. */
    public int programIndex() {
        return context.job().programOf(worldRank());
    }

    /** Returns the name of the node that holds this rank. */
    public String nodeName() {
        return context.nodeName();
    }

    /** Returns whether buffers of another primitive kind than the datatype are refused. */
    public boolean checksKinds() {
        return context.checksKinds();
    }

    /** Returns the specification of the job. */
    public JobSpec job() {
        return context.job().spec();
    }

    /** Returns the buffer of buffered sends. */
    public AttachedBuffer attachedBuffer() {
        return attachedBuffer;
    }

    /** Returns the intercommunicator with the ranks that spawned this job; null if none did. */
    public @Nullable Communicator parent() {
        return parent;
    }

    /** Returns the rank's ports, and the names of ports. */
    public ProcessPorts ports() {
        return ports;
    }

    /** Returns the connections to ranks of other jobs. */
    ConnectedJobs connections() {
        return connections;
    }

    /** Creates a generalized request of this rank, which is not started. */
    public GeneralizedRequest generalized(final GrequestFunctions work) {
        context.checkUsable();
        return new GeneralizedRequest(context.lifecycle(), work);
    }

    /** Creates a generalized request of this rank that the program completes. */
    public UserCompletedRequest generalized(final UserCompletedRequest.Functions functions) {
        context.checkUsable();
        return new UserCompletedRequest(context.lifecycle(), functions);
    }

    /** Returns the executor of actions that depend on requests: a thread of this rank, one action after the other. */
    public Executor executor() {
        return context.lifecycle().helpers();
    }

    /** Ends the job with a status. Does not return. */
    public void abort(final int status) {
        termination.abort(status);
        throw new JobEndedError("abort was called: status=" + status);
    }

    /**
     * Ends the job because of an error. Does not return.
     *
     * @param byPeer whether the error is that of another rank or node, from {@link MpiFailure#isReportedByPeer}
     */
    public void fail(final Throwable error, final boolean byPeer) {
        termination.fail(error, byPeer);
        throw new JobEndedError("an error was fatal: " + error);
    }

    /** Waits until it is decided at which point the ranks save their states. */
    public void awaitPoint(final CompletionStage<?> decided) {
        context.await(decided, PendingWait.Kind.POINT, null);
    }

    /** Returns the object that package mpi keeps with the rank; null before one is set, and after the rank has released its resources. */
    public @Nullable Object api() {
        return api;
    }

    /** Sets the object that package mpi keeps with the rank, until the rank releases its resources. */
    public void api(final Object kept) {
        api = kept;
    }

    /** Returns the job's id, for messages. */
    public String jobId() {
        return context.job().jobId();
    }

    /** Ends the rank: from now on every call of the rank into MPI throws. The caller must then unpark its threads. */
    public void end(final String reason) {
        context.lifecycle().end(reason);
    }

    /** Returns the trace of the rank's collectives, or null when they are not recorded. */
    public @Nullable RankTrace trace() {
        final TraceRecorder recorder = context.recorder();
        return recorder == null || recorder.isEmpty() ? null : recorder.trace(worldRank(), nodeName());
    }

    /** Keeps a report of an interceptor until the rank ends, in the place of an earlier one. */
    public void keepReport(final InterceptorReport report) {
        reports.put(report.module(), report);
    }

    /** Returns the reports of interceptors, in the order of their names. */
    public List<InterceptorReport> reports() {
        return reports.values().stream().sorted(Comparator.comparing(InterceptorReport::module)).toList();
    }

    /** Returns the modules that intercept the rank's calls, the outermost first; empty in most jobs. */
    public Map<ModuleId, CallInterceptor> interceptors() {
        final Map<ModuleId, CallInterceptor> all = new LinkedHashMap<>();
        for (final OfferedModule m : context.job().modules().interceptors()) {
            if (m.module() instanceof final CallInterceptor interceptor) {
                all.put(m.id(), interceptor);
            } else {
                // Cause: a module with the name of an interceptor publishes another service. Remedy: correct the module.
                throw new MpiFailure(ErrorClass.OTHER, "module " + m.id() + " is no interceptor: its service is no CallInterceptor");
            }
        }
        return all;
    }

    /** Returns the job as modules see it. */
    public CollJob jobOfModules() {
        return context.job().modules().view();
    }

    /**
     * Receives the collectives that modules nest from now on, on the threads that execute them. Has effect only after Init and with
     * {@code intercept.nested}.
     */
    public void onNested(final Consumer<NestedCollective> listener) {
        final TraceRecorder recorder = context.recorder();
        if (recorder != null && InterceptionOption.isNested(context.job().modules().parameters())) {
            recorder.onNested(listener);
        }
    }

    /**
     * Records a call of the rank, if the job records traces.
     *
     * @param call  the call
     * @param event its event; the index of the call is set here, and the times are those of {@link System#nanoTime}
     */
    public void trace(final TracedCall call, final TraceEvent event) {
        final TraceRecorder recorder = context.recorder();
        if (recorder != null) {
            recorder.addCall(call, event);
        }
    }

    /** Returns what the rank does, given what its threads are at. Waits for a short time at the most. */
    public RankState inspect(final RankProcess.Activity activity) {
        return inspection().state(activity);
    }

    /** Returns for how long the rank has been waiting in MPI, in milliseconds. */
    public long waitedMillis() {
        return context.lifecycle().parkedMillis();
    }

    /** Returns the messages of the program that the rank had not received when it called Finalize; not all if there are many. */
    public List<UnreceivedMessage> unreceived() {
        return unreceived;
    }

    private RankInspection inspection() {
        return new RankInspection(this, isFinished() ? Stream.empty() : Stream.concat(Stream.of(world, self), created.stream()));
    }

    /** Returns the communicators that the rank can use, in an order that is equal on all ranks for those that they have in common. */
    public List<Communicator> usable() {
        return Stream.concat(Stream.of(world, self), created.stream()).filter(c -> !c.isNull())
            .sorted(Comparator.comparingLong(Communicator::contextId)).toList();
    }

    /** Returns what the rank's communicators share. */
    public RankContext context() {
        return context;
    }
}
