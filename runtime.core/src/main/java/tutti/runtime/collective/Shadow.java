package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.context.CommContext;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.Selection;

/**
 * Modules that run calls of a communicator once more, in a hidden communicator of the same ranks and on other memory. No call waits for ever: an
 * execution that does not end in time is given up. For one thread at a time.
 */
final class Shadow {
    private static final Duration SLICE = Duration.ofMillis(100);

    private final CollectiveEngine engine;
    private long calls;

    Shadow(final CommContext comm) {
        this.engine = CollectiveEngine.ofShadow(comm);
    }

    /** Selects the modules, together with all ranks. */
    void open(final JobModules modules) {
        engine.openHidden(modules);
    }

    CollectiveEngine engine() {
        return engine;
    }

    /** Returns an execution of a call, which has a failure when the call cannot be planned. */
    <C extends Call> ScheduleExecution take(final Operation<C> operation, final C call) {
        return engine.epoch().cache().take(operation, call);
    }

    /** Returns whether another algorithm serves a call here, or in a collective that it nests, than in another shadow. */
    <C extends Call> boolean differs(final Shadow other, final Operation<C> operation, final C call, final ScheduleExecution own,
        final ScheduleExecution others) {
        final Selection.SelectedAlgorithm<C> chosen = engine.table().algorithm(operation, call);
        final Selection.SelectedAlgorithm<C> there = other.engine.table().algorithm(operation, call);
        return !chosen.module().id().equals(there.module().id()) || !chosen.name().equals(there.name()) || !parts(own).equals(parts(others));
    }

    /** Returns the modules and algorithms of the collectives that an execution nests. */
    private static String parts(final ScheduleExecution execution) {
        final TracedCall label = execution.schedule().label();
        final StringBuilder text = new StringBuilder();
        if (label != null) {
            for (final PlannedPart p : label.parts()) {
                text.append(p.operation()).append(' ').append(p.module()).append(' ').append(p.algorithm()).append('\n');
            }
        }
        return text.toString();
    }

    /**
     * Runs a call that all ranks begin now.
     *
     * @param slices for how many tenths of a second to wait. A pause of the whole JVM counts as one
     * @return what is wrong; null when the call has ended well
     */
    @Nullable
    String run(final ScheduleExecution execution, final @Nullable MemorySegment send, final @Nullable MemorySegment recv, final long slices) {
        execution.start(send, recv, calls++, null);
        if (!await(execution, slices)) {
            return "does not end";
        }
        try {
            execution.await();
            return null;
        } catch (final MpiFailure e) {
            return "fails: " + e.getMessage();
        }
    }

    /** Waits for a request for some tenths of a second; returns whether it is complete. */
    static boolean await(final Request request, final long slices) {
        for (long i = 0; i < slices && !request.isDone(); i++) {
            request.awaitDone(SLICE);
        }
        return request.isDone();
    }

    /** Takes an execution back that was started if it has ended, on all ranks or on this one alone. */
    void end(final ScheduleExecution execution, final boolean isStarted) {
        if (isStarted && !execution.isDone()) {
            // Cause: a call of a module that is tried did not end; the trial says so, and the program does not see it.
            execution.giveUp(new MpiFailure(ErrorClass.OTHER, "the call in the shadow of " + engine.comm().name() + " was given up"));
            if (!await(execution, 10)) {
                // it keeps the hidden communicator
                return;
            }
        }
        engine.epoch().cache().release(execution);
    }

    /** Returns why a call cannot be planned; null when it can. */
    static @Nullable String failure(final ScheduleExecution execution) {
        final MpiFailure why = execution.schedule().failure();
        return why == null ? null : "cannot be planned: " + why.getMessage();
    }

    /** Returns an exception as text, for a failure that must not reach the program. */
    static String text(final Throwable e) {
        if (e instanceof final JobEndedError end) {
            throw end;
        }
        return e instanceof MpiFailure ? String.valueOf(e.getMessage()) : e.toString();
    }
}
