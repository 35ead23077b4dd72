package tutti.daemon.settings;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.PortRange;
import tutti.daemon.protocol.Protocol;

/**
 * Settings of a node, checked.
 *
 * @param name      the node's name
 * @param listen    the address to listen on
 * @param ports     the ports of which it takes a free one where the port to listen on is 0
 * @param advertise the address at which other nodes reach it, port 0 for that of the listener; null for the address on which it listens
 * @param join      addresses of nodes to form a cluster with
 * @param membership how it finds other nodes, and when it suspects them
 * @param folder    the folder for the node's files
 * @param rules     a file with the rules of the jobs that it launches; null for none
 * @param switches  names of the switches that connect its host to others, the nearest first; empty if they are not known
 * @param warmUp    whether the node prepares for its first job while it is idle
 * @param limits    bounds of what others may take of the node
 * @param jvms      the JVMs that run the ranks of jobs
 * @param history   most jobs that have ended which the node remembers
 * @param measurements most bytes of traces and reports of jobs which the node keeps
 * @param oneRun    whether the node serves one run and ends with it
 * @param access    who may do what
 * @param stop      what a request to stop the node stops
 */
public record NodeSettings(String name, HostPort listen, PortRange ports, @Nullable HostPort advertise, List<HostPort> join,
    MembershipSettings membership,
    Path folder, @Nullable Path rules, List<String> switches,
    boolean warmUp, NodeLimits limits, JobJvmSettings jvms, int history, int measurements, boolean oneRun, NodeAccess access, Stop stop) {

    /** What a request to stop the node stops. */
    public enum Stop {
        /** The node; the framework and all other bundles go on. */
        NODE,
        /** The framework, for a container that has no other purpose. */
        FRAMEWORK
    }

    private static final int MAX_THREADS = 1_000_000;
    private static final int MAX_FILES = 1_000_000;
    private static final int MAX_READY = 64;
    private static final int MAX_REUSE = 1_000_000;
    private static final int MAX_HISTORY = 100_000;

    /** Copies the lists. */
    public NodeSettings {
        join = List.copyOf(join);
        switches = List.copyOf(switches);
    }

    /**
     * Reads settings.
     *
     * @param values returns the value of a framework property or of the configuration's attribute that stands for it; null when neither is set
     * @param folder the default folder
     * @return null when the node has no name, and thus is not wanted
     * @throws IllegalArgumentException when a value is not valid; the message is one line and names it
     */
    static @Nullable NodeSettings read(final Function<String, @Nullable Object> values, final Path folder) {
        final String name = text(values, NodeProperties.NAME);
        if (name == null) {
            return null;
        }
        return new NodeSettings(parse(NodeProperties.NAME, name, NodeInfo::checkName),
            parse(NodeProperties.LISTEN, Objects.requireNonNullElse(text(values, NodeProperties.LISTEN), NodeConfiguration.LISTEN), HostPort::parse),
            Objects.requireNonNullElse(optional(values, NodeProperties.PORTS, PortRange::parse), PortRange.ANY),
            optional(values, NodeProperties.ADVERTISE, NodeSettings::advertised),
            list(values.apply(NodeProperties.JOIN)).stream().map(a -> parse(NodeProperties.JOIN, a, HostPort::parse)).toList(),
            membership(values),
            Objects.requireNonNullElse(optional(values, NodeProperties.FOLDER, Path::of), folder).toAbsolutePath().normalize(),
            optional(values, NodeProperties.RULES, Path::of), switches(values, name), Boolean.parseBoolean(text(values, NodeProperties.WARM_UP)),
            NodeLimits.read((property, min, max, byDefault) -> Objects.requireNonNullElse(optional(values, property, t -> number(t, min, max)),
                byDefault)),
            jvms(values),
            Objects.requireNonNullElse(optional(values, NodeProperties.HISTORY, t -> number(t, 0, MAX_HISTORY)), NodeConfiguration.HISTORY),
            Objects.requireNonNullElse(optional(values, NodeProperties.MEASUREMENTS, t -> number(t, 0, Integer.MAX_VALUE)),
                NodeConfiguration.MEASUREMENTS),
            Boolean.parseBoolean(text(values, NodeProperties.ONE_RUN)),
            new NodeAccess(text(values, NodeProperties.SECRET), Boolean.parseBoolean(text(values, NodeProperties.INSECURE)),
                optional(values, NodeProperties.SIGNERS, Path::of)),
            Objects.requireNonNullElse(optional(values, NodeProperties.STOP, NodeSettings::stop), Stop.NODE));
    }

    private static List<String> switches(final Function<String, @Nullable Object> values, final String name) {
        final List<String> switches = list(values.apply(NodeProperties.SWITCHES)).stream().toList();
        final List<String> ofFile = optional(values, NodeProperties.TOPOLOGY, file -> TopologyFile.switchesOf(Path.of(file), name));
        if (ofFile != null && !switches.isEmpty()) {
            // Cause: the switches of a node are in its configuration and in a file. Remedy: remove one of them.
            throw new IllegalArgumentException(NodeProperties.SWITCHES + " and " + NodeProperties.TOPOLOGY + " are set: set one of them");
        }
        return ofFile == null ? switches : ofFile;
    }

    private static JobJvmSettings jvms(final Function<String, @Nullable Object> values) {
        return new JobJvmSettings(
            Objects.requireNonNullElse(optional(values, NodeProperties.JVMS, t -> number(t, 0, MAX_READY)), NodeConfiguration.JVMS),
            Objects.requireNonNullElse(optional(values, NodeProperties.REUSE, t -> number(t, 1, MAX_REUSE)), NodeConfiguration.REUSE),
            optional(values, NodeProperties.JOB_HEAP, NodeSettings::memory), optional(values, NodeProperties.JOB_DIRECT, NodeSettings::memory),
            limit(values, NodeProperties.JOB_THREADS, MAX_THREADS), limit(values, NodeProperties.JOB_FILES, MAX_FILES),
            limit(values, NodeProperties.JOB_CPU, Protocol.MAX_RANKS));
    }

    private static int limit(final Function<String, @Nullable Object> values, final String property, final int max) {
        return Objects.requireNonNullElse(optional(values, property, t -> number(t, 0, max)), 0);
    }

    private static String memory(final String text) {
        if (!text.matches("[1-9][0-9]{0,14}[kKmMgGtT]?")) {
            // Cause: switches in that file are in a circle. Remedy: correct its `Switches`.
            throw new IllegalArgumentException("expected a number of bytes with k, m, g or t, for example 512m");
        }
        return text;
    }

    private static MembershipSettings membership(final Function<String, @Nullable Object> values) {
        final long silence =
            Objects.requireNonNullElse(optional(values, NodeProperties.SILENCE, NodeSettings::silence), MembershipSettings.SILENCE_MILLIS);
        return parse(NodeProperties.DISCOVERY, Objects.requireNonNullElse(text(values, NodeProperties.DISCOVERY), NodeConfiguration.DISCOVERY),
            d -> MembershipSettings.parse(d, silence));
    }

    private static long silence(final String text) {
        return new MembershipSettings(MembershipSettings.Discovery.LIST, "", Long.parseLong(text)).silenceMillis();
    }

    private static int number(final String text, final int min, final int max) {
        final int number = Integer.parseInt(text);
        if (number < min || number > max) {
            // Cause: a value of the configuration is no such number; the property stands before. Remedy: correct it.
            throw new IllegalArgumentException("expected a number from " + min + " to " + max);
        }
        return number;
    }

    private static HostPort advertised(final String text) {
        if (text.lastIndexOf(':') > text.lastIndexOf(']')) {
            return HostPort.parse(text);
        }
        return HostPort.parse(text + ":0");
    }

    private static Stop stop(final String text) {
        return switch (text) {
            case "node" -> Stop.NODE;
            case "framework" -> Stop.FRAMEWORK;
            // Cause: switches in that file are in a circle. Remedy: correct its `Switches`.
            default -> throw new IllegalArgumentException("expected node or framework");
        };
    }

    /** Returns a value as text; null when it is missing or blank. */
    private static @Nullable String text(final Function<String, @Nullable Object> values, final String property) {
        final Object value = values.apply(property);
        return value == null || value.toString().isBlank() ? null : value.toString().strip();
    }

    private static <T> @Nullable T optional(final Function<String, @Nullable Object> values, final String property,
        final Function<String, T> parser) {
        final String text = text(values, property);
        return text == null ? null : parse(property, text, parser);
    }

    private static <T> T parse(final String property, final String text, final Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException("bad value: " + property + "=" + text + ": " + e.getMessage(), e);
        }
    }

    /** Returns the elements of a value, which is an array, a collection, or a text with commas or spaces between them. */
    private static List<String> list(final @Nullable Object value) {
        return switch (value) {
            case null -> List.of();
            case Object[] array -> Arrays.stream(array).flatMap(a -> list(a).stream()).toList();
            case Collection<?> all -> all.stream().flatMap(a -> list(a).stream()).toList();
            default -> Arrays.stream(value.toString().split("[,\\s]+")).filter(t -> !t.isEmpty()).toList();
        };
    }
}
