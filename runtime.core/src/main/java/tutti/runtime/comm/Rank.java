package tutti.runtime.comm;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import tutti.coll.ThreadLevel;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.MatchedMessagePurge;
import tutti.runtime.process.JobEndedError;
import tutti.runtime.request.GeneralizedRequest;
import tutti.runtime.request.GrequestFunctions;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.schedule.TraceRecorder;
import tutti.runtime.select.CheckLevel;
import tutti.runtime.select.TraceOption;

/**
 * One MPI process of a job: its communicators, and its state from Init to Finalize. Any thread of the rank may call it, as its thread level
 * allows.
 */
public final class Rank {
    private enum State { FRESH, INITIALIZED, FINISHED }

    private final JobEnvironment job;
    private final int worldRank;
    private final Mailbox mailbox;
    private final JobTermination termination;
    private final RankLifecycle lifecycle = new RankLifecycle();
    private final ContextIds contexts;
    private final AttachedBuffer attachedBuffer = new AttachedBuffer(lifecycle);
    private final Communicator world;
    private final Communicator self;
    private final Communicator nullCommunicator;
    private final Set<Communicator> created = ConcurrentHashMap.newKeySet();

    private volatile State state = State.FRESH;
    private volatile ThreadLevel level = ThreadLevel.SINGLE;
    private volatile Thread main;
    private CheckLevel checking = CheckLevel.FAST;
    private volatile TraceRecorder recorder;
    private volatile Object api;
    private volatile boolean released;
    /** Statistics of communicators that were freed; guarded by {@link #created}. */
    private CacheStatistics freedStatistics = CacheStatistics.NONE;

    /**
     * Creates a rank that has not called Init.
     *
     * @param mailbox     receives the messages of the rank
     * @param termination ends the job
     */
    public Rank(final JobEnvironment job, final int worldRank, final Mailbox mailbox, final JobTermination termination) {
        this.job = job;
        this.worldRank = worldRank;
        this.mailbox = mailbox;
        this.termination = termination;
        this.contexts = new ContextIds(job.size(), worldRank);
        this.world = Communicator.predefined(this, "MPI_COMM_WORLD", ContextIds.WORLD, Group.first(job.size()));
        this.self = Communicator.predefined(this, "MPI_COMM_SELF", ContextIds.SELF, Group.of(worldRank));
        this.nullCommunicator = Communicator.nullCommunicator(this);
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
     * Performs Init: queries the modules and makes COMM_WORLD and COMM_SELF usable.
     *
     * @return the provided thread level, which is the required one
     */
    public synchronized ThreadLevel init(final ThreadLevel required) {
        lifecycle.check();
        if (state != State.FRESH) {
            throw new MpiFailure(ErrorClass.OTHER, state == State.INITIALIZED ? "Init was called already" : "Init called after Finalize");
        }
        level = required;
        main = Thread.currentThread();
        lifecycle.helpers().inheritFrom(main);
        checking = CheckLevel.of(job.modules().parameters());
        final int traced = TraceOption.limit(job.modules().parameters(), job.size());
        recorder = traced == 0 ? null : new TraceRecorder(traced);
        final boolean mainOnly = required == ThreadLevel.SINGLE || required == ThreadLevel.FUNNELED;
        if (mainOnly && checking != CheckLevel.OFF) {
            lifecycle.restrict(main, required.toString());
        }
        if (required == ThreadLevel.SERIALIZED && checking == CheckLevel.FULL) {
            lifecycle.serialize();
        }
        world.collTable().select();
        self.collTable().select();
        state = State.INITIALIZED;
        return required;
    }

    /** Performs Finalize: waits for all ranks of the job, then releases the communicators. */
    public void finish() {
        checkUsable();
        mailbox.submit(new MatchedMessagePurge());
        attachedBuffer.detachIfAttached();
        world.blocking().barrier();
        state = State.FINISHED;
        release();
    }

    /** Releases the resources of the communicators: at Finalize, or when the job ends for a rank that did not call it. Idempotent. */
    public void release() {
        released = true;
        created.forEach(comm -> {
            comm.collTable().release();
            forget(comm);
        });
        api = null;
        world.collTable().release();
        self.collTable().release();
        lifecycle.helpers().end();
    }

    /** Records a communicator that was created. */
    void remember(final Communicator comm) {
        created.add(comm);
    }

    /** Removes a communicator that holds no resources any more. */
    void forget(final Communicator comm) {
        synchronized (created) {
            if (created.remove(comm)) {
                freedStatistics = freedStatistics.plus(comm.collTable().statistics().countersOnly());
            }
        }
    }

    /** Returns the statistics of the schedule caches of the rank's communicators. Entries and memory count until the rank has released them. */
    public CacheStatistics statistics() {
        synchronized (created) {
            CacheStatistics sum = world.collTable().statistics().plus(self.collTable().statistics());
            for (final Communicator comm : created) {
                sum = sum.plus(comm.collTable().statistics());
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
        return state != State.FRESH;
    }

    /** Returns whether Finalize was called. */
    public boolean isFinished() {
        return state == State.FINISHED;
    }

    /** Returns the thread level. */
    public ThreadLevel threadLevel() {
        return level;
    }

    /** Returns whether the calling thread is the one that called Init. */
    public boolean isMainThread() {
        return Thread.currentThread() == main;
    }

    /** Returns the rank in COMM_WORLD. */
    public int worldRank() {
        return worldRank;
    }

    /** Returns the number of ranks of the job. */
    public int worldSize() {
        return job.size();
    }

    /** Returns the name of the node that holds this rank. */
    public String nodeName() {
        return job.nodeName(worldRank);
    }

    /** Returns the buffer of buffered sends. */
    public AttachedBuffer attachedBuffer() {
        return attachedBuffer;
    }

    /** Creates a generalized request of this rank, which is not started. */
    public GeneralizedRequest generalized(final GrequestFunctions work) {
        checkUsable();
        return new GeneralizedRequest(lifecycle, work);
    }

    /** Returns the executor of actions that depend on requests: a thread of this rank, one action after the other. */
    public Executor executor() {
        return lifecycle.helpers();
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

    /** Returns the object that package mpi keeps with the rank; null before one is set, and after the rank has released its resources. */
    public Object api() {
        return api;
    }

    /** Sets the object that package mpi keeps with the rank, until the rank releases its resources. */
    public void api(final Object kept) {
        api = kept;
    }

    /** Returns the job's id, for messages. */
    public String jobId() {
        return job.jobId();
    }

    /** Ends the rank: from now on every call of the rank into MPI throws. The caller must then unpark its threads. */
    public void end(final String reason) {
        lifecycle.end(reason);
    }

    /** Refuses a call before Init or after Finalize, and any call of a rank that is being ended. */
    void checkUsable() {
        lifecycle.check();
        if (state != State.INITIALIZED) {
            throw new MpiFailure(ErrorClass.OTHER, state == State.FRESH ? "MPI.Init has not been called" : "MPI.Finalize has been called");
        }
    }

    /** Returns how strictly the ranks compare the calls that all of them must make alike. */
    CheckLevel checking() {
        return checking;
    }

    /** Returns the recorder of the rank's collectives, or null. */
    TraceRecorder recorder() {
        return recorder;
    }

    /** Returns the trace of the rank's collectives, or null when they are not recorded. */
    public RankTrace trace() {
        final TraceRecorder r = recorder;
        return r == null ? null : r.trace(worldRank, nodeName());
    }

    ContextIds contexts() {
        return contexts;
    }

    JobEnvironment job() {
        return job;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    RankLifecycle lifecycle() {
        return lifecycle;
    }
}
