package tutti.mpi.interception;

import java.lang.reflect.Array;
import mpi.Bindings;
import mpi.Comm;
import mpi.Datatype;
import org.jspecify.annotations.Nullable;
import tutti.intercept.InterceptedCall;
import tutti.runtime.comm.Communicator;

/** Internal: a call that is intercepted. For the thread that makes the call. Not for use by programs. */
public final class CallRecord implements InterceptedCall {
    private static final StackWalker WALKER = StackWalker.getInstance();

    private final InterceptableCall call;
    private final Object[] arguments;
    /** Null for a call without a communicator that can be used. */
    private final @Nullable Comm target;
    /** Its part in the runtime. */
    private final @Nullable Communicator comm;
    private final @Nullable String communicator;
    private @Nullable StackTraceElement site;
    private long begin;
    private long nanos;
    private @Nullable Object result;
    private @Nullable Throwable failure;
    /** Set in the call of Finalize, which interceptors do not see: they end before it. */
    private final boolean isFinalize;

    CallRecord(final InterceptableCall call, final @Nullable Object receiver, final Object[] arguments, final boolean isRunning) {
        this.call = call;
        this.arguments = arguments;
        final Object found = call.comm() == InterceptableCall.RECEIVER ? receiver : call.comm() == InterceptableCall.NONE ? null
            : arguments[call.comm()];
        this.target = isRunning ? Bindings.commOf(found) : null;
        this.comm = target == null ? null : Bindings.handle(target);
        this.communicator = comm == null ? null : comm.name();
        this.isFinalize = call.isFinalize();
    }

    boolean isFinalize() {
        return isFinalize;
    }

    /** Returns the communicator; null for none. */
    @Nullable
    Comm comm() {
        return target;
    }

    /** Returns the communicator's part in the runtime; null for none. */
    @Nullable
    Communicator handle() {
        return comm;
    }

    Object argument(final int index) {
        return arguments[index];
    }

    void begun(final long now) {
        begin = now;
    }

    void ended(final long now, final @Nullable Object value, final @Nullable Throwable thrown) {
        nanos = now - begin;
        result = value;
        failure = thrown;
    }

    @Override
    public String operation() {
        return call.operation();
    }

    @Override
    public String owner() {
        return call.method().getDeclaringClass().getSimpleName();
    }

    @Override
    public @Nullable String communicator() {
        return communicator;
    }

    @Override
    public long context() {
        return comm == null ? -1 : comm.contextId();
    }

    @Override
    public int size() {
        return comm == null ? 0 : comm.size();
    }

    @Override
    public int peer() {
        return number(call.peer());
    }

    @Override
    public int root() {
        return number(call.root());
    }

    @Override
    public int tag() {
        return number(call.tag());
    }

    private int number(final int index) {
        return index >= 0 && arguments[index] instanceof final Integer i ? i : NONE;
    }

    @Override
    public long count() {
        for (final int index : call.counts()) {
            final long count = total(arguments[index], null);
            if (count >= 0) {
                return count;
            }
        }
        return 0;
    }

    @Override
    public long bytes() {
        for (int i = 0; i < call.counts().size(); i++) {
            final Object type = arguments[call.types().get(i)];
            final long bytes = type == null ? -1 : total(arguments[call.counts().get(i)], type);
            if (bytes >= 0) {
                return bytes;
            }
        }
        return 0;
    }

    /** Returns the sum of a count or of counts, each times the size of its type if there is one; -1 if there is none. */
    private static long total(final @Nullable Object counts, final @Nullable Object types) {
        return switch (counts) {
            case final Integer i -> i < 0 ? -1 : i * size(types, 0);
            case final Long l -> l < 0 ? -1 : l * size(types, 0);
            case final int[] all -> sum(all, all.length, types);
            case final long[] all -> sum(all, all.length, types);
            case null, default -> -1;
        };
    }

    private static long sum(final Object counts, final int length, final @Nullable Object types) {
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += Array.getLong(counts, i) * size(types, i);
        }
        return sum;
    }

    private static long size(final @Nullable Object types, final int index) {
        return switch (types) {
            case final Datatype type -> Bindings.size(type);
            case final Datatype[] all -> index < all.length && all[index] != null ? Bindings.size(all[index]) : 0;
            case null, default -> 1;
        };
    }

    @Override
    public boolean isPointToPoint() {
        return call.isPointToPoint();
    }

    @Override
    public StackTraceElement site() {
        StackTraceElement known = site;
        if (known == null) {
            known = WALKER.walk(frames -> frames.filter(f -> !f.getClassName().startsWith("mpi.") && !f.getClassName().startsWith("tutti."))
                .findFirst().map(StackWalker.StackFrame::toStackTraceElement).orElse(new StackTraceElement("unknown", operation(), null, -1)));
            site = known;
        }
        return known;
    }

    @Override
    public long begin() {
        return begin;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public @Nullable Object result() {
        return result;
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }
}
