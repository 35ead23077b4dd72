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
import tutti.runtime.request.GeneralizedRequest;
import tutti.runtime.request.GrequestFunctions;
import tutti.runtime.request.JobEnded;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.schedule.TraceRecorder;
import tutti.runtime.select.CheckLevel;
import tutti.runtime.select.TraceOption;

/**
 * One MPI process of a job: its communicators and its state from Init to Finalize. Any thread of the rank may call it, as its thread level
 * allows.
 */
public final class Rank {
    private enum State { FRESH, INITIALIZED, FINISHED }

    private final JobEnvironment job;
    private final int worldRank;
    private final Mailbox mailbox;
    private final JobTermination ending;
    private final RankLifecycle life = new RankLifecycle();
    private final ContextIds contexts;
    private final AttachedBuffer sendBuffer = new AttachedBuffer(life);
    private final Communicator world;
    private final Communicator self;
    private final Communicator nothing;
    private final Set<Communicator> made = ConcurrentHashMap.newKeySet();

    private volatile State state = State.FRESH;
    private volatile ThreadLevel level = ThreadLevel.SINGLE;
    private volatile Thread main;
    private CheckLevel checking = CheckLevel.FAST;
    private volatile TraceRecorder recorder;
    private volatile Object api;
    private volatile boolean released;
    /** Of communicators that are let go of; guarded by {@link #made}. */
    private CacheStatistics past = CacheStatistics.NONE;

    /**
     * A rank that has not called Init.
     *
     * @param mailbox where its messages arrive
     * @param ending  ends the job
     */
    public Rank(final JobEnvironment job, final int worldRank, final Mailbox mailbox, final JobTermination ending) {
        this.job = job;
        this.worldRank = worldRank;
        this.mailbox = mailbox;
        this.ending = ending;
        this.contexts = new ContextIds(job.size(), worldRank);
        this.world = Communicator.predefined(this, "MPI_COMM_WORLD", ContextIds.WORLD, Group.first(job.size()));
        this.self = Communicator.predefined(this, "MPI_COMM_SELF", ContextIds.SELF, Group.of(worldRank));
        this.nothing = Communicator.nothing(this);
    }

    /** COMM_WORLD. */
    public Communicator world() {
        return world;
    }

    /** COMM_SELF. */
    public Communicator self() {
        return self;
    }

    /** Stands for no communicator: every call refuses it. */
    public Communicator noCommunicator() {
        return nothing;
    }

    /**
     * Init: asks the modules and makes the first two communicators usable.
     *
     * @return the level that the rank runs at, the required one
     */
    public synchronized ThreadLevel init(final ThreadLevel required) {
        life.check();
        if (state != State.FRESH) {
            throw new MpiFailure(ErrorClass.OTHER, state == State.INITIALIZED ? "Init was called already" : "Init called after Finalize");
        }
        level = required;
        main = Thread.currentThread();
        life.helpers().like(main);
        checking = CheckLevel.of(job.modules().parameters());
        final int traced = TraceOption.limit(job.modules().parameters(), job.size());
        recorder = traced == 0 ? null : new TraceRecorder(traced);
        final boolean mainOnly = required == ThreadLevel.SINGLE || required == ThreadLevel.FUNNELED;
        if (mainOnly && checking != CheckLevel.OFF) {
            life.restrict(main, required.toString());
        }
        if (required == ThreadLevel.SERIALIZED && checking == CheckLevel.FULL) {
            life.serialize();
        }
        world.service().select();
        self.service().select();
        state = State.INITIALIZED;
        return required;
    }

    /** Finalize: waits for all ranks of the job, then lets go of the communicators. */
    public void finish() {
        checkUsable();
        mailbox.submit(new MatchedMessagePurge());
        sendBuffer.detachAny();
        world.blocking().barrier();
        state = State.FINISHED;
        release();
    }

    /** Lets go of what the communicators hold; at Finalize or, of a rank that did not get there, when the job ends. Idempotent. */
    public void release() {
        released = true;
        made.forEach(comm -> {
            comm.service().release();
            forget(comm);
        });
        api = null;
        world.service().release();
        self.service().release();
        life.helpers().end();
    }

    /** A communicator was made. */
    void remember(final Communicator comm) {
        made.add(comm);
    }

    /** It holds nothing any more. */
    void forget(final Communicator comm) {
        synchronized (made) {
            if (made.remove(comm)) {
                past = past.plus(comm.service().figures().past());
            }
        }
    }

    /** What the caches of schedules of its communicators did, and hold until the rank is through with MPI. */
    public CacheStatistics figures() {
        synchronized (made) {
            CacheStatistics sum = world.service().figures().plus(self.service().figures());
            for (final Communicator comm : made) {
                sum = sum.plus(comm.service().figures());
            }
            return past.plus(released ? sum.past() : sum);
        }
    }

    /** How many communicators were made and not let go of. */
    int communicators() {
        return made.size();
    }

    /** Whether Init was called. */
    public boolean isInitialized() {
        return state != State.FRESH;
    }

    /** Whether Finalize was called. */
    public boolean isFinished() {
        return state == State.FINISHED;
    }

    /** The thread level. */
    public ThreadLevel threadLevel() {
        return level;
    }

    /** Whether the calling thread is the one that called Init. */
    public boolean isMainThread() {
        return Thread.currentThread() == main;
    }

    /** The rank in COMM_WORLD. */
    public int worldRank() {
        return worldRank;
    }

    /** The ranks of the job. */
    public int worldSize() {
        return job.size();
    }

    /** The name of the node that holds this rank. */
    public String nodeName() {
        return job.nodeName(worldRank);
    }

    /** What buffered sends use. */
    public AttachedBuffer sendBuffer() {
        return sendBuffer;
    }

    /** A generalized request of this rank, not started yet. */
    public GeneralizedRequest generalized(final GrequestFunctions work) {
        checkUsable();
        return new GeneralizedRequest(life, work);
    }

    /** What runs what depends on requests: a thread of this rank, one action after the other. */
    public Executor executor() {
        return life.helpers();
    }

    /** Ends the job with a status. Does not return. */
    public void abort(final int status) {
        ending.abort(status);
        throw new JobEnded("abort was called: status=" + status);
    }

    /** Ends the job because of an error. Does not return. */
    public void fail(final Throwable error) {
        ending.fail(error);
        throw new JobEnded("an error was fatal: " + error);
    }

    /** What the program's API keeps with the rank; null before it keeps something, and when the rank is through with MPI. */
    public Object api() {
        return api;
    }

    /** Keeps something for the program's API, until the rank is through with MPI. */
    public void api(final Object kept) {
        api = kept;
    }

    /** The job's id, for messages. */
    public String jobId() {
        return job.jobId();
    }

    /** From now on every call of the rank into MPI throws; its threads must then be unparked. */
    public void end(final String reason) {
        life.end(reason);
    }

    /** Refuses a call outside of Init and Finalize, and any call of a rank that is being ended. */
    void checkUsable() {
        life.check();
        if (state != State.INITIALIZED) {
            throw new MpiFailure(ErrorClass.OTHER, state == State.FRESH ? "MPI.Init has not been called" : "MPI.Finalize has been called");
        }
    }

    /** How much of what ranks must do alike is compared. */
    CheckLevel checking() {
        return checking;
    }

    /** What records its collectives, or null. */
    TraceRecorder recorder() {
        return recorder;
    }

    /** What its collectives did, or null when that is not recorded. */
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

    RankLifecycle life() {
        return life;
    }
}
