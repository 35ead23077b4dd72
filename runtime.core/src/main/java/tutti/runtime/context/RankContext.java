package tutti.runtime.context;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.coll.advanced.ThreadLevel;
import tutti.runtime.inspect.FileState;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.lifecycle.RankPolling;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.OutgoingQueues;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.LossMode;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.ProgressMode;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.policy.TraceOption;
import tutti.runtime.schedule.TraceRecorder;

/**
 * State of a rank that its communicators share: the job, the rank's mailbox, and the progress from Init to Finalize. Safe for any thread of the rank.
 * Init publishes the options by the volatile state.
 */
public final class RankContext {
    private enum State { FRESH, INITIALIZED, FINISHED }

    private static final int MAX_WARNINGS = 8;

    private final AtomicInteger warnings = new AtomicInteger();
    private final Queue<String> unprinted = new ConcurrentLinkedQueue<>();
    private final Queue<Supplier<FileState>> files = new ConcurrentLinkedQueue<>();
    private final JobEnvironment job;
    private final int worldRank;
    private final Mailbox mailbox;
    private final OutgoingQueues outgoing;
    private final ControlMessages control;
    private final RankLifecycle lifecycle;
    private final ContextIds contexts;

    private volatile ThreadLevel level = ThreadLevel.SINGLE;
    private CheckLevel checking = CheckLevel.FAST;
    private boolean checksKinds = true;
    private boolean reportsLosses;
    private volatile @Nullable TraceRecorder recorder;
    private volatile State state = State.FRESH;

    /** Creates the context of a rank that has not called Init; the mailbox receives its messages. */
    public RankContext(final JobEnvironment job, final int worldRank, final Mailbox mailbox) {
        this.job = job;
        this.worldRank = worldRank;
        this.mailbox = mailbox;
        this.outgoing = new OutgoingQueues(mailbox);
        this.control = new ControlMessages(mailbox);
        mailbox.setControl(control);
        this.lifecycle = new RankLifecycle(new RankPolling(mailbox, job.polling()));
        this.contexts = new ContextIds(job.number(), job.size(), worldRank);
    }

    /** Begins Init on the thread that calls it: takes over the thread level and the job's parameters. Calls into MPI are still refused. */
    public void init(final ThreadLevel required) {
        lifecycle.check();
        if (state != State.FRESH) {
            // Cause: a program initializes once. Remedy: one `MPI.Init`.
            throw new MpiFailure(ErrorClass.OTHER, state == State.INITIALIZED ? "Init was called already" : "Init called after Finalize");
        }
        final Thread main = Thread.currentThread();
        level = required;
        lifecycle.helpers().inheritFrom(main);
        checking = CheckLevel.of(job.modules().parameters());
        checksKinds = CheckLevel.checksKinds(job.modules().parameters());
        reportsLosses = LossMode.of(job.modules().parameters()) == LossMode.REPORT;
        lifecycle.setProgress(ProgressMode.of(job.modules().parameters()));
        final int traced = TraceOption.limit(job.modules().parameters(), job.size());
        recorder = traced == 0 && !InterceptionOption.isNested(job.modules().parameters()) ? null : new TraceRecorder(traced);
        if (checking == CheckLevel.FULL) {
            outgoing.disable();
        }
        if (CheckLevel.checksThreads(job.modules().parameters())) {
            check(main);
        }
    }

    private void check(final Thread main) {
        switch (level) {
            case SINGLE, FUNNELED -> lifecycle.restrict(main, level.toString());
            case SERIALIZED -> lifecycle.serialize();
            case MULTIPLE -> {
                // any thread may call
            }
        }
    }

    /** Ends Init: allows calls into MPI. */
    public void initialized() {
        state = State.INITIALIZED;
    }

    /** Ends Finalize: refuses calls into MPI from now on. */
    public void finished() {
        state = State.FINISHED;
    }

    /** Returns whether Init was called. */
    public boolean isInitialized() {
        return state != State.FRESH;
    }

    /** Returns whether Finalize was called. */
    public boolean isFinished() {
        return state == State.FINISHED;
    }

    /** Prints a warning on the rank's error output, by a thread of the rank; only the first ones, since a program may repeat what it does. */
    public void warn(final String text) {
        if (warnings.incrementAndGet() <= MAX_WARNINGS) {
            unprinted.add(text);
            lifecycle.helpers().execute(this::printWarnings);
        }
    }

    /** Prints the warnings that no thread has printed. Called by a thread of the rank; returns when all earlier ones are printed. */
    public void printWarnings() {
        synchronized (unprinted) {
            for (String text = unprinted.poll(); text != null; text = unprinted.poll()) {
                System.err.println("tutti: warning: " + text);
            }
        }
    }

    /** Refuses a call before Init or after Finalize, and any call of a rank that is being ended. */
    public void checkUsable() {
        lifecycle.check();
        if (state != State.INITIALIZED) {
            throw new MpiFailure(ErrorClass.OTHER, state == State.FRESH ? "MPI.Init has not been called" : "MPI.Finalize has been called");
        }
    }

    /**
     * Waits until a future is complete, successfully or not, as a thread of the rank waits for a request.
     *
     * @param kind  what completes it
     * @param limit time limit; null for none
     * @return whether it is complete
     */
    public boolean await(final CompletionStage<?> future, final PendingWait.Kind kind, final @Nullable Duration limit) {
        final FutureRequest request = new FutureRequest(lifecycle, future, kind);
        if (limit != null) {
            return request.awaitDone(limit);
        }
        request.await();
        return true;
    }

    /** Returns the job. */
    public JobEnvironment job() {
        return job;
    }

    /** Returns the rank in COMM_WORLD. */
    public int worldRank() {
        return worldRank;
    }

    /** Returns the name of the rank's node. */
    public String nodeName() {
        return job.nodeName(worldRank);
    }

    /** Returns the mailbox that receives the rank's messages. */
    public Mailbox mailbox() {
        return mailbox;
    }

    /** Returns what receives the messages of agreements. */
    ControlMessages control() {
        return control;
    }

    /** Returns whether the job goes on without ranks that are lost; known from Init on. */
    public boolean reportsLosses() {
        return reportsLosses;
    }

    /** Returns the queues for short messages to other ranks of the node. */
    public OutgoingQueues outgoing() {
        return outgoing;
    }

    /** Returns what tells the states of the rank's open files, for users: who opens one adds it, and removes it at the close. */
    public Queue<Supplier<FileState>> files() {
        return files;
    }

    /** Returns the rank's lifecycle. */
    public RankLifecycle lifecycle() {
        return lifecycle;
    }

    /** Returns the context ids that the rank allots. */
    public ContextIds contexts() {
        return contexts;
    }

    /** Returns the thread level. */
    public ThreadLevel threadLevel() {
        return level;
    }

    /** Returns how strictly the ranks compare the calls that all of them must make alike. */
    public CheckLevel checking() {
        return checking;
    }

    /** Returns whether buffers of another primitive kind than the datatype are refused. */
    public boolean checksKinds() {
        return checksKinds;
    }

    /** Returns the recorder of the rank's collectives, or null. */
    public @Nullable TraceRecorder recorder() {
        return recorder;
    }
}
