package tutti.coll.tck;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.CollSubComm;
import tutti.coll.QueryResult;
import tutti.coll.ThreadLevel;

/**
 * A communicator as rank 0 sees it, all ranks on one node and nobody there to talk to: enough to ask a module what it offers.
 *
 * @param size       ranks, of each group
 * @param isInter    whether it is an intercommunicator
 * @param parameters of the job, dotted name to value; typed ones may be numbers, texts and truth values
 */
public record SingleRankComm(int size, boolean isInter, Map<String, String> parameters) implements CollComm {

    /** Without parameters. */
    public SingleRankComm(final int size, final boolean isInter) {
        this(size, isInter, Map.of());
    }

    /**
     * What a module offers on a communicator.
     *
     * @throws IllegalArgumentException when it declines
     */
    public static AlgorithmTable tableOf(final CollModule module, final SingleRankComm comm) {
        return switch (module.query(comm)) {
            case QueryResult.Usable u -> u.instance().table();
            case QueryResult.Declined d -> throw new IllegalArgumentException("declined: " + d.reason());
        };
    }

    @Override
    public CollJob job() {
        return new SingleRankJob(size, parameters);
    }

    @Override
    public String name() {
        return "comm";
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public int remoteSize() {
        return size;
    }

    @Override
    public int nodeOf(final int rank) {
        return 0;
    }

    @Override
    public void send(final byte[] data, final int peer) {
        throw new IllegalStateException("nobody is there to receive");
    }

    @Override
    public void recv(final byte[] into, final int peer) {
        throw new IllegalStateException("nobody is there to send");
    }

    @Override
    public CollSubComm split(final int color, final int key) {
        throw new IllegalStateException("nobody is there to split with");
    }

    private record SingleRankJob(int size, Map<String, String> parameters) implements CollJob {
        @Override
        public String id() {
            return "job";
        }

        @Override
        public ThreadLevel threadLevel() {
            return ThreadLevel.MULTIPLE;
        }

        @Override
        public <A extends Annotation> A parameters(final String pid, final Class<A> type) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                final String value = parameters.get(pid + "." + method.getName());
                return value == null ? method.getDefaultValue() : converted(value, method);
            }));
        }

        private static Object converted(final String value, final Method element) {
            return switch (element.getReturnType().getName()) {
                case "int" -> Integer.valueOf(value);
                case "long" -> Long.valueOf(value);
                case "double" -> Double.valueOf(value);
                case "boolean" -> Boolean.valueOf(value);
                case "java.lang.String" -> value;
                default -> throw new IllegalArgumentException("no such parameter type: " + element);
            };
        }
    }

    @Override
    public CollSubComm local() {
        if (!isInter) {
            throw new IllegalStateException("only an intercommunicator has a local group apart from itself");
        }
        return new VirtualComm.Group(CommGroups.between(size, size, new int[2 * size]).side(0).makeLocal(), 0);
    }
}
