package tutti.interceptors;

import org.osgi.service.component.annotations.Component;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.intercept.CallInterceptor;
import tutti.intercept.InterceptedCall;
import tutti.intercept.InterceptedRank;
import tutti.intercept.RankInterceptor;

/** Adds messages and waits to the job's trace, which has the collectives without it: {@code -p trace=on -p intercept=trace}. Stateless. */
@Component(service = CollModule.class, property = CollModule.NAME + "=" + TraceInterceptor.MODULE)
@ProvidesCollectives(value = TraceInterceptor.MODULE, operations = {})
public final class TraceInterceptor implements CallInterceptor {
    /** The module's name. */
    static final String MODULE = CallInterceptor.PREFIX + "trace";

    /** Made by Declarative Services. */
    public TraceInterceptor() {
        // nothing to acquire
    }

    @Override
    public RankInterceptor begin(final InterceptedRank rank) {
        return new RankInterceptor() {
            @Override
            public void after(final InterceptedCall call) {
                if (call.isPointToPoint() || isWait(call) || isAccess(call)) {
                    rank.trace(call);
                }
            }
        };
    }

    /** Returns whether a call accesses a window or a file, or waits for that. */
    private static boolean isAccess(final InterceptedCall call) {
        final String operation = call.operation();
        return (call.owner().equals("Win") || call.owner().equals("File")) && (operation.equals("get") || operation.startsWith("getAccumulate")
            || !operation.startsWith("get") && !operation.startsWith("is"));
    }

    private static boolean isWait(final InterceptedCall call) {
        return switch (call.operation()) {
            case "waitFor", "waitStatus", "waitAll", "waitAllStatus", "waitAny", "waitAnyStatus", "waitSome", "waitSomeStatus", "probe", "mProbe" ->
                true;
            default -> false;
        };
    }
}
