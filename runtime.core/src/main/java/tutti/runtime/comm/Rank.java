package tutti.runtime.comm;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import tutti.coll.ThreadLevel;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Mailbox;
import tutti.runtime.request.JobEnded;
import tutti.runtime.request.Life;

/**
 * One MPI process of a job: its communicators and its state from Init to Finalize. Any thread of the rank may call it, as its thread level
 * allows.
 */
public final class Rank {
    private enum State { FRESH, INITIALIZED, FINISHED }

    private final World job;
    private final int worldRank;
    private final Mailbox mailbox;
    private final IntConsumer abort;
    private final Life life = new Life();
    private final Contexts contexts;
    private final Communicator world;
    private final Communicator self;
    private final Communicator nothing;
    private final Set<Communicator> made = ConcurrentHashMap.newKeySet();
    private final Map<Class<?>, Object> companions = new ConcurrentHashMap<>();

    private volatile State state = State.FRESH;
    private volatile ThreadLevel level = ThreadLevel.SINGLE;
    private volatile Thread main;

    /**
     * A rank that has not called Init.
     *
     * @param mailbox where its messages arrive
     * @param abort   ends the job with a status, and does not return on a thread of the rank
     */
    public Rank(final World job, final int worldRank, final Mailbox mailbox, final IntConsumer abort) {
        this.job = job;
        this.worldRank = worldRank;
        this.mailbox = mailbox;
        this.abort = abort;
        this.contexts = new Contexts(job.size(), worldRank);
        this.world = Communicator.predefined(this, "MPI_COMM_WORLD", Contexts.WORLD, Group.first(job.size()));
        this.self = Communicator.predefined(this, "MPI_COMM_SELF", Contexts.SELF, Group.of(worldRank));
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

    /** What goes with the rank for its whole life without being known here: one object per class, made when it is asked for first. */
    public <T> T companion(final Class<T> type, final Supplier<T> maker) {
        return type.cast(companions.computeIfAbsent(type, t -> maker.get()));
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
        world.select();
        self.select();
        state = State.INITIALIZED;
        return required;
    }

    /** Finalize: waits for all ranks of the job, then lets go of the communicators. */
    public void finish() {
        checkUsable();
        world.blocking().barrier();
        state = State.FINISHED;
        release();
    }

    /** Lets go of what the communicators hold; at Finalize or, of a rank that did not get there, when the job ends. Idempotent. */
    public void release() {
        made.forEach(Communicator::release);
        made.clear();
        world.release();
        self.release();
    }

    /** A communicator was made. */
    void remember(final Communicator comm) {
        made.add(comm);
    }

    /** It holds nothing any more. */
    void forget(final Communicator comm) {
        made.remove(comm);
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

    /** Ends the job with a status. Does not return. */
    public void abort(final int status) {
        abort.accept(status);
        throw new JobEnded("abort was called: status=" + status);
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

    Contexts contexts() {
        return contexts;
    }

    World job() {
        return job;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    Life life() {
        return life;
    }
}
