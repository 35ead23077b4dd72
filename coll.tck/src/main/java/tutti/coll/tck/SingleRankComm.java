package tutti.coll.tck;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.Level;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;

/**
 * A communicator with one simulated rank: rank 0 of {@code size} ranks, all on one node. It suffices to query a module and to read its algorithm
 * table. {@code send}, {@code recv}, {@code barrier}, {@code allreduce}, {@code split} and {@code algorithm} fail; a module that needs them
 * is set up by {@link VirtualModule}.
 *
 * @param size       number of ranks, in each group of an intercommunicator
 * @param isInter    whether it is an intercommunicator
 * @param parameters of the job, dotted name to value; values are converted to the types int, long, double, boolean and String
 */
public record SingleRankComm(int size, boolean isInter, Map<String, String> parameters) implements SetupComm {

    /** Creates a communicator without parameters, so that all have their defaults. */
    public SingleRankComm(final int size, final boolean isInter) {
        this(size, isInter, Map.of());
    }

    /**
     * Queries a module and returns the algorithm table that it offers on a communicator.
     *
     * @throws IllegalArgumentException if the module declines
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
    public System.Logger logger() {
        return SilentLogger.INSTANCE;
    }

    @Override
    public String name() {
        return "comm";
    }

    @Override
    public Origin origin() {
        return Origin.PREDEFINED;
    }

    @Override
    public @Nullable String parent() {
        return null;
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
    public List<Level> levels() {
        return NodeLayout.oneNode(size).levels();
    }

    @Override
    public void send(final byte[] data, final int peer) {
        throw new IllegalStateException("send is not available: there is no other rank");
    }

    @Override
    public void recv(final byte[] into, final int peer) {
        throw new IllegalStateException("recv is not available: there is no other rank");
    }

    @Override
    public void barrier() {
        throw new IllegalStateException("barrier is not available: there is no other rank");
    }

    @Override
    public void allreduce(final long[] values, final LongBinaryOperator operator) {
        throw new IllegalStateException("allreduce is not available: there is no other rank");
    }

    @Override
    public CollSubComm split(final String name, final int color, final int key, final String... modules) {
        throw new IllegalStateException("split is not available: there is no other rank");
    }

    @Override
    public <C extends Call> Algorithm<C> algorithm(final Operation<C> operation, final String name) {
        throw new IllegalStateException("algorithm is not available: there is no other module");
    }

    private record SingleRankJob(int size, Map<String, String> parameters) implements CollJob {
        @Override
        public String id() {
            return "job";
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
                default -> throw new IllegalArgumentException("unsupported parameter type: " + element);
            };
        }
    }

    @Override
    public CollSubComm local() {
        if (!isInter) {
            throw new IllegalStateException("only an intercommunicator has a local group");
        }
        return new VirtualComm.Group(CommGroups.inter(size, size, NodeLayout.oneNode(2 * size)).comm(0).local(), 0);
    }
}
