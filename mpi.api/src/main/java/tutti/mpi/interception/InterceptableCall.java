package tutti.mpi.interception;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import mpi.Comm;
import mpi.Datatype;
import mpi.File;
import mpi.Message;
import mpi.Win;

/**
 * A public method whose calls can be intercepted, and where its arguments are. Found by the name of the method and the types of its parameters.
 * Immutable.
 *
 * @param method the method
 * @param comm   index of the argument that is the communicator; {@link #RECEIVER} for the object itself, which may be a window or a file,
 *               {@link #NONE} for none, as for the others
 * @param peer   index of the destination, or else of the source; of a call of a window, that of the target
 * @param root   index of the root
 * @param tag    index of the tag, of the message to send if there are two
 * @param counts indices of counts, or arrays of counts, of which the first is used that is not negative and whose type is not null
 * @param types  indices of the datatypes that belong to them
 */
record InterceptableCall(Method method, int comm, int peer, int root, int tag, List<Integer> counts, List<Integer> types) {
    /** Name of the class that every rank has for itself. */
    static final String MPI_CLASS = "mpi.MPI";
    /** The object whose method is called. */
    static final int RECEIVER = -1;
    /** The call has no such argument. */
    static final int NONE = -2;
    private static final Set<String> POINT_TO_POINT = Set.of("send", "bSend", "sSend", "rSend", "recv", "sendRecv", "sendRecvReplace", "iSend",
        "ibSend", "isSend", "irSend", "iRecv", "iSendRecv", "iSendRecvReplace");
    private static final Set<String> PERSISTENT = Set.of("sendInit", "bSendInit", "sSendInit", "rSendInit", "recvInit");
    private static final Set<String> PROBES = Set.of("probe", "iProbe", "mProbe", "imProbe");
    /** Calls whose root is the last argument. */
    private static final Set<String> ROOTED = Set.of("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce", "iBcast", "iGather", "iGatherv",
        "iScatter", "iScatterv", "iReduce", "bcastInit", "gatherInit", "gathervInit", "scatterInit", "scattervInit", "reduceInit", "accept",
        "connect");
    /** Calls whose root is before the last argument, an array of error codes. */
    private static final Set<String> SPAWNS = Set.of("spawn", "spawnMultiple");
    /** Calls that create a communicator with a tag, the last argument. */
    private static final Set<String> TAGGED = Set.of("createIntercomm", "createGroup");

    /** Copies the lists. */
    InterceptableCall {
        counts = List.copyOf(counts);
        types = List.copyOf(types);
    }

    static InterceptableCall of(final Method method) {
        final List<Class<?>> parameters = List.of(method.getParameterTypes());
        final Class<?> owner = method.getDeclaringClass();
        final List<Integer> all = indices(parameters, t -> t == Datatype.class || t == Datatype[].class);
        if (owner == Win.class || owner == File.class) {
            // the datatypes of data here: behind a buffer and a count
            final List<Integer> own = all.stream().filter(i -> i > 1 && parameters.get(i - 1).isPrimitive() && !parameters.get(i - 2).isPrimitive())
                .toList();
            return new InterceptableCall(method, comm(method, parameters), owner == Win.class ? target(method.getName(), all) : NONE, NONE, NONE,
                own.stream().map(i -> i - 1).toList(), own);
        }
        final List<Integer> types = Comm.class.isAssignableFrom(owner) || owner == Message.class ? all : List.of();
        final int peer = peer(method.getName(), types);
        return new InterceptableCall(method, comm(method, parameters), peer, root(method.getName(), parameters.size()),
            peer != NONE ? peer + 1 : TAGGED.contains(method.getName()) ? parameters.size() - 1 : NONE,
            types.stream().map(type -> count(parameters, type)).toList(), types);
    }

    /** Returns the index of the target of a call of a window. */
    private static int target(final String operation, final List<Integer> types) {
        return switch (operation) {
            case "put", "rPut", "get", "rGet", "accumulate", "rAccumulate", "fetchAndOp", "compareAndSwap" -> types.getFirst() + 1;
            case "getAccumulate", "rGetAccumulate" -> types.get(1) + 1;
            case "lock" -> 1;
            case "unlock", "flush", "flushLocal" -> 0;
            default -> NONE;
        };
    }

    private static List<Integer> indices(final List<Class<?>> parameters, final Predicate<Class<?>> wanted) {
        return IntStream.range(0, parameters.size()).filter(i -> wanted.test(parameters.get(i))).boxed().toList();
    }

    private static int comm(final Method method, final List<Class<?>> parameters) {
        final Class<?> owner = method.getDeclaringClass();
        if (Comm.class.isAssignableFrom(owner) || owner == Win.class || owner == File.class) {
            return Modifier.isStatic(method.getModifiers()) ? NONE : RECEIVER;
        }
        final List<Integer> comms = indices(parameters, Comm.class::isAssignableFrom);
        return comms.isEmpty() ? NONE : comms.getFirst();
    }

    /** Returns the index of the peer, which the tag follows: behind the first datatype, or, in a probe, the first argument. */
    private static int peer(final String operation, final List<Integer> types) {
        return POINT_TO_POINT.contains(operation) || PERSISTENT.contains(operation) ? types.getFirst() + 1 : PROBES.contains(operation) ? 0 : NONE;
    }

    private static int root(final String operation, final int length) {
        return ROOTED.contains(operation) ? length - 1 : SPAWNS.contains(operation) ? length - 2 : NONE;
    }

    /** Returns the index of the count that belongs to a datatype: before it, or before displacements, which have the type of the counts. */
    private static int count(final List<Class<?>> parameters, final int type) {
        final Class<?> before = parameters.get(type - 1);
        return !before.isPrimitive() && parameters.get(type - 2) == before ? type - 2 : type - 1;
    }

    /** Returns the name of the operation. */
    String operation() {
        return method.getName();
    }

    /** Returns whether the call is Finalize. */
    boolean isFinalize() {
        return operation().equals("Finalize") && method.getDeclaringClass().getName().equals(MPI_CLASS);
    }

    /** Returns whether the call is one to one. */
    boolean isPointToPoint() {
        return POINT_TO_POINT.contains(operation());
    }
}
