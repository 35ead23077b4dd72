package mpi;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A public method whose calls can be intercepted, and where its arguments are. Found by the names of its parameters. Immutable.
 *
 * @param method the method
 * @param comm   index of the argument that is the communicator; {@link #RECEIVER} for the object itself, {@link #NONE} for none, as for the others
 * @param peer   index of the destination, or else of the source
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
    /** Each count with the type that belongs to it, those of data to send first. */
    private static final List<Map.Entry<String, String>> DATA = List.of(Map.entry("sendCount", "sendType"), Map.entry("sendCounts", "sendType"),
        Map.entry("sendCounts", "sendTypes"), Map.entry("count", "type"), Map.entry("counts", "type"), Map.entry("counts", "types"),
        Map.entry("recvCount", "recvType"), Map.entry("recvCounts", "recvType"), Map.entry("recvCounts", "recvTypes"),
        Map.entry("recvCounts", "type"),
        Map.entry("recvCount", "type"), Map.entry("inCount", "type"), Map.entry("outCount", "type"));
    private static final Set<String> POINT_TO_POINT = Set.of("send", "bSend", "sSend", "rSend", "recv", "sendRecv", "sendRecvReplace", "iSend",
        "ibSend", "isSend", "irSend", "iRecv");

    /** Copies the lists. */
    InterceptableCall {
        counts = List.copyOf(counts);
        types = List.copyOf(types);
    }

    static InterceptableCall of(final Method method) {
        final List<String> names = List.of(method.getParameters()).stream().map(Parameter::getName).toList();
        final var data = DATA.stream().filter(d -> names.contains(d.getKey()) && names.contains(d.getValue())).toList();
        final boolean isOfComm = Comm.class.isAssignableFrom(method.getDeclaringClass()) && !Modifier.isStatic(method.getModifiers());
        return new InterceptableCall(method, isOfComm ? RECEIVER : first(names, "comm"), first(names, "dest", "source"), first(names, "root"),
            first(names, "tag", "sendTag"), data.stream().map(d -> names.indexOf(d.getKey())).toList(),
            data.stream().map(d -> names.indexOf(d.getValue())).toList());
    }

    private static int first(final List<String> names, final String... wanted) {
        for (final String name : wanted) {
            if (names.contains(name)) {
                return names.indexOf(name);
            }
        }
        return NONE;
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
